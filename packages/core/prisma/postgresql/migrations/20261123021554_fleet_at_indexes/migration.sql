-- CreateIndex
CREATE INDEX "agent_change_field_agent_id_time_ms_id_idx" ON "agent_change"("field", "agent_id", "time_ms", "id") WHERE (kind = 'changed' OR kind = 'settings' OR kind = 'note' OR kind = 'maintenance' OR kind = 'rebooted' OR kind = 'restarted');

-- CreateIndex
CREATE INDEX "agent_change_agent_id_time_ms_id_idx" ON "agent_change"("agent_id", "time_ms", "id") WHERE (kind = 'registered' OR kind = 'online' OR kind = 'offline' OR kind = 'inactive' OR kind = 'deleted' OR kind = 'restored');

-- CreateIndex
CREATE INDEX "agent_change_agent_id_field_time_ms_id_idx" ON "agent_change"("agent_id", "field", "time_ms", "id") WHERE (kind = 'labels');
