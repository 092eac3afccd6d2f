-- CreateTable
CREATE TABLE "change" (
    "id" SERIAL NOT NULL,
    "time_ms" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "before" TEXT NOT NULL DEFAULT '',
    "after" TEXT NOT NULL DEFAULT '',
    "labels" TEXT NOT NULL DEFAULT '{}',
    "service" TEXT NOT NULL DEFAULT '',
    "url" TEXT NOT NULL DEFAULT '',
    "author" TEXT NOT NULL DEFAULT '',
    "created_ms" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "pending" TEXT NOT NULL DEFAULT '',
    "agents" INTEGER NOT NULL,
    "host_count" INTEGER NOT NULL DEFAULT 0,
    "owner" TEXT,
    "key" TEXT,
    "body_hash" BYTEA,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change_host" (
    "change_id" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "known" BOOLEAN NOT NULL,

    CONSTRAINT "change_host_pkey" PRIMARY KEY ("change_id","place")
);

-- CreateIndex
CREATE INDEX "change_time_ms_id_idx" ON "change"("time_ms", "id");

-- CreateIndex
CREATE INDEX "change_id_idx" ON "change"("id") WHERE (pending <> '');

-- CreateIndex
CREATE UNIQUE INDEX "change_owner_key_key" ON "change"("owner", "key");

-- CreateIndex
CREATE INDEX "change_host_host_change_id_idx" ON "change_host"("host", "change_id");

-- CreateIndex
CREATE INDEX "agent_change_change_id_agent_id_idx" ON "agent_change"("change_id", "agent_id") WHERE (change_id > 0);

-- AddForeignKey
ALTER TABLE "change_host" ADD CONSTRAINT "change_host_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "change"("id") ON DELETE CASCADE ON UPDATE CASCADE;
