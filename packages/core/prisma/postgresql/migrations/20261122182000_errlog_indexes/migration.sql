-- The search index (decision 009). Servers before this migration made the same objects.
CREATE TABLE IF NOT EXISTS "errlog_search" (
    "id" BIGINT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "errlog_search_pkey" PRIMARY KEY ("id")
);

-- A role may lack the right to create the extension. Searching is slow then, and the server warns at each start.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX IF NOT EXISTS "errlog_search_text" ON "errlog_search" USING gin ("text" gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'pg_trgm cannot be used: %', SQLERRM;
END;
$$;
