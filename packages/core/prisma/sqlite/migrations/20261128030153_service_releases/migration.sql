-- CreateTable
CREATE TABLE "service_release" (
    "service" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "first_ms" INTEGER NOT NULL,

    PRIMARY KEY ("service", "environment", "name")
);

-- CreateIndex
CREATE INDEX "service_release_first_ms_idx" ON "service_release"("first_ms");
