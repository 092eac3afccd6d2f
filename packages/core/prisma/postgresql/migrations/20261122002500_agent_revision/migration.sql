-- AlterTable
ALTER TABLE "agent" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 0;

-- Whatever the list of agents shows, less what reports change all the time
CREATE FUNCTION "agent_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."revision" := OLD."revision" + 1;
    RETURN NEW;
END;
$$;
CREATE TRIGGER "agent_revision" BEFORE UPDATE OF
    "node_id", "hostname", "ip", "env", "is_deleted", "bad_kernel", "catch_transient_event", "autorun_tools", "note",
    "system_name", "progress_current", "progress_detail", "package_version", "package_timestamp", "stap_version",
    "odb_version", "kernel_package", "kernel_bid", "kernel_distro", "libc", "kernel", "created_ms", "modified_ms"
ON "agent" FOR EACH ROW EXECUTE FUNCTION "agent_revision"();
