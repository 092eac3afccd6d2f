-- The form of a text in the search index: letters A to Z in lower case, and rare letters for spaces and punctuation.
-- pg_trgm takes only letters and digits into its trigrams, so `10.0.0.7` or `/v1/e` would select next to nothing. Texts
-- that differ may have one form: candidates are verified.
CREATE FUNCTION "errlog_search_form"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT translate(lower($1 COLLATE "C"), ' -./:_,="()[]''@#', 'qxzjqxzjqxzjqxzj') $$;

-- The texts of groups that are not marked are in the index. It is filled faster before it has trigrams.
DROP INDEX IF EXISTS "errlog_search_text";
TRUNCATE "errlog_search";
INSERT INTO "errlog_search" ("id", "text")
SELECT "id", "errlog_search_form"("log") FROM "errlog" WHERE NOT "text_stale" ORDER BY "id";

-- A role may lack the right to create the extension. Searching is slow then, and the server warns at each start.
DO $$
BEGIN
    CREATE INDEX "errlog_search_text" ON "errlog_search" USING gin ("text" gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'pg_trgm cannot be used: %', SQLERRM;
END;
$$;
