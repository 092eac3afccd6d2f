-- The key of the counts gets the service. No group has one yet.
ALTER TABLE "errlog_total" DROP CONSTRAINT "errlog_total_pkey",
ADD COLUMN     "service" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "errlog_total_pkey" PRIMARY KEY ("src", "app_id", "level", "service", "state");
ALTER TABLE "errlog_total" ALTER COLUMN "service" DROP DEFAULT;
