-- The server computes the keys at its start: no database folds case as Unicode does, whatever its locale.

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "name_key" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "user_name_key_key" ON "user"("name_key");
