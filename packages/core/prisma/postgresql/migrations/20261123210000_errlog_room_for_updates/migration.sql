-- Room in each page for new versions of its rows: an update that changes no indexed column then writes no index. Most
-- updates of a busy group are of that kind, as its times are in seconds. It holds for pages that are written from now on.
ALTER TABLE "errlog" SET (fillfactor = 70);
