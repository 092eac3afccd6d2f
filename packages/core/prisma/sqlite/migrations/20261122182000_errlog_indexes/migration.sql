-- The index by which a repeated error finds its group: two tables instead of one index (decision 020).
CREATE TABLE "errlog_fingerprint_new" (
    "fingerprint" TEXT NOT NULL,
    "level" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "src" INTEGER NOT NULL,
    "id" INTEGER NOT NULL,

    PRIMARY KEY ("fingerprint", "level", "app_id", "src")
) WITHOUT ROWID;
CREATE TABLE "errlog_fingerprint_old" (
    "fingerprint" TEXT NOT NULL,
    "level" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL,
    "src" INTEGER NOT NULL,
    "id" INTEGER NOT NULL,

    PRIMARY KEY ("fingerprint", "level", "app_id", "src")
) WITHOUT ROWID;
INSERT INTO "errlog_fingerprint_old"
SELECT "fingerprint", "level", "app_id", "src", "id" FROM "errlog" ORDER BY "fingerprint", "level", "app_id", "src";
CREATE VIEW "errlog_fingerprint" AS
SELECT "fingerprint", "level", "app_id", "src", "id" FROM "errlog_fingerprint_new"
UNION ALL
SELECT "fingerprint", "level", "app_id", "src", "id" FROM "errlog_fingerprint_old";

-- Servers before this migration made the same tables under other names, and dropped the index once they were filled.
DROP INDEX IF EXISTS "errlog_fingerprint_level_app_id_src_key";
DROP VIEW IF EXISTS "errlog_print";
DROP TABLE IF EXISTS "errlog_print_new";
DROP TABLE IF EXISTS "errlog_print_old";

-- The search index (decision 009), which those servers may have made, too. Texts come in lower case, as LIKE knows it.
CREATE VIRTUAL TABLE IF NOT EXISTS "errlog_search"
USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail='none');
-- A row per trigram and group: words that begin with one or two letters are found here.
CREATE VIRTUAL TABLE IF NOT EXISTS "errlog_search_trigram" USING fts5vocab('errlog_search', 'instance');
-- Groups up to this id are not in the index yet; a job of the server adds them.
INSERT INTO "setting" ("name", "value")
SELECT 'errlog_search_2', coalesce(max("id"), 0) FROM "errlog" WHERE true
ON CONFLICT ("name") DO NOTHING;
