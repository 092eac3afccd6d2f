-- CreateTable
CREATE TABLE "shared_link" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "expire_ms" BIGINT NOT NULL,
    "last_used_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "shared_link_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "shared_link_token_hash_key" ON "shared_link"("token_hash");

-- CreateIndex
CREATE INDEX "shared_link_subject_subject_id_idx" ON "shared_link"("subject", "subject_id");

-- CreateIndex
CREATE INDEX "shared_link_user_id_idx" ON "shared_link"("user_id");

-- CreateIndex
CREATE INDEX "shared_link_expire_ms_idx" ON "shared_link"("expire_ms");

-- AddForeignKey
ALTER TABLE "shared_link" ADD CONSTRAINT "shared_link_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
