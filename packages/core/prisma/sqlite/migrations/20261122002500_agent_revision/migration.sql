-- AlterTable
ALTER TABLE "agent" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 0;

-- Whatever the list of agents shows, less what reports change all the time. A trigger goes when its table is made anew:
-- a later migration that does so has to bring it along.
CREATE TRIGGER "agent_revision" AFTER UPDATE OF
    "node_id", "hostname", "ip", "env", "is_deleted", "bad_kernel", "catch_transient_event", "autorun_tools", "note",
    "system_name", "progress_current", "progress_detail", "package_version", "package_timestamp", "stap_version",
    "odb_version", "kernel_package", "kernel_bid", "kernel_distro", "libc", "kernel", "created_ms", "modified_ms"
ON "agent"
BEGIN
    UPDATE "agent" SET "revision" = OLD."revision" + 1 WHERE "id" = NEW."id";
END;
