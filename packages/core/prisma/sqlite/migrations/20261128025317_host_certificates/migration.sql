-- CreateTable
CREATE TABLE "agent_certificate" (
    "agent_id" INTEGER NOT NULL,
    "place" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "expire_ms" INTEGER NOT NULL,
    "found_ms" INTEGER NOT NULL,
    "former_fingerprint" TEXT NOT NULL DEFAULT '',
    "former_expire_ms" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("agent_id", "place"),
    CONSTRAINT "agent_certificate_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "agent_certificate_expire_ms_idx" ON "agent_certificate"("expire_ms");

-- CreateIndex
CREATE INDEX "agent_certificate_former_fingerprint_idx" ON "agent_certificate"("former_fingerprint") WHERE former_fingerprint <> '';
