-- CreateTable
CREATE TABLE "agent_vitals" (
    "agent_id" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "seen_ms" BIGINT NOT NULL,
    "cpu" INTEGER NOT NULL,
    "memory" INTEGER NOT NULL,
    "disk" INTEGER NOT NULL,
    "load" INTEGER NOT NULL,
    "max_cpu" INTEGER NOT NULL,
    "max_memory" INTEGER NOT NULL,
    "max_disk" INTEGER NOT NULL,
    "max_load" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "agent_vitals_pkey" PRIMARY KEY ("agent_id","hour")
);

-- CreateIndex
CREATE INDEX "agent_vitals_hour_idx" ON "agent_vitals"("hour");

-- AddForeignKey
ALTER TABLE "agent_vitals" ADD CONSTRAINT "agent_vitals_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id") ON DELETE CASCADE ON UPDATE CASCADE;
