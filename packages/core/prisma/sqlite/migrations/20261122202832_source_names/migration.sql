-- CreateIndex
CREATE INDEX "agent_hostname_idx" ON "agent"("hostname");

-- CreateIndex
CREATE INDEX "source_name_idx" ON "source"("name");
