-- CreateTable
CREATE TABLE "user" (
    "id" SERIAL NOT NULL,
    "username" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "created_ms" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "remember" BOOLEAN NOT NULL,
    "address" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "expire_ms" BIGINT NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_token" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_tail" TEXT NOT NULL,
    "expire_ms" BIGINT NOT NULL DEFAULT 0,
    "created_ms" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,

    CONSTRAINT "api_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source" (
    "id" SERIAL NOT NULL,
    "node_type" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL DEFAULT -1,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,

    CONSTRAINT "source_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog" (
    "id" BIGSERIAL NOT NULL,
    "src" INTEGER NOT NULL,
    "node_type" INTEGER NOT NULL,
    "app_id" INTEGER NOT NULL DEFAULT 0,
    "level" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "log" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "first_seen" BIGINT NOT NULL,
    "log_time" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'new',

    CONSTRAINT "errlog_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog_event" (
    "id" BIGSERIAL NOT NULL,
    "errlog_id" BIGINT NOT NULL,
    "time" BIGINT NOT NULL,
    "req_id" TEXT NOT NULL DEFAULT '',
    "count" BIGINT NOT NULL DEFAULT 1,
    "log" TEXT NOT NULL,

    CONSTRAINT "errlog_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "errlog_rank" (
    "src" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "bucket" BIGINT NOT NULL,
    "n" BIGINT NOT NULL,

    CONSTRAINT "errlog_rank_pkey" PRIMARY KEY ("height","src","level","bucket")
);

-- CreateTable
CREATE TABLE "agent" (
    "id" SERIAL NOT NULL,
    "node_id" TEXT NOT NULL,
    "hostname" TEXT NOT NULL,
    "ip" TEXT NOT NULL DEFAULT '',
    "env" TEXT NOT NULL DEFAULT 'unknown',
    "is_deleted" BOOLEAN NOT NULL DEFAULT false,
    "bad_kernel" BOOLEAN NOT NULL DEFAULT false,
    "catch_transient_event" BOOLEAN NOT NULL DEFAULT false,
    "autorun_tools" BOOLEAN NOT NULL DEFAULT false,
    "note" TEXT NOT NULL DEFAULT '',
    "system_name" TEXT NOT NULL DEFAULT '',
    "progress_current" INTEGER NOT NULL DEFAULT 0,
    "progress_detail" TEXT NOT NULL DEFAULT '',
    "package_version" BIGINT NOT NULL DEFAULT 0,
    "package_timestamp" BIGINT NOT NULL DEFAULT 0,
    "stap_version" TEXT NOT NULL DEFAULT '',
    "odb_version" TEXT NOT NULL DEFAULT '',
    "kernel_package" TEXT NOT NULL DEFAULT '',
    "kernel_bid" TEXT NOT NULL DEFAULT '',
    "kernel_distro" TEXT NOT NULL DEFAULT '',
    "libc" TEXT NOT NULL DEFAULT '',
    "kernel" TEXT NOT NULL DEFAULT '',
    "secret_hash" BYTEA NOT NULL,
    "interval_s" INTEGER NOT NULL,
    "shutdown" BOOLEAN NOT NULL DEFAULT false,
    "announced_online" BOOLEAN NOT NULL DEFAULT false,
    "last_reported_ms" BIGINT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,

    CONSTRAINT "agent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "time_ms" BIGINT NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "setting" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_username_key" ON "user"("username");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_hash_key" ON "session"("token_hash");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "session_expire_ms_idx" ON "session"("expire_ms");

-- CreateIndex
CREATE UNIQUE INDEX "api_token_token_hash_key" ON "api_token"("token_hash");

-- CreateIndex
CREATE INDEX "api_token_user_id_created_ms_id_idx" ON "api_token"("user_id", "created_ms", "id");

-- CreateIndex
CREATE INDEX "api_token_created_ms_id_idx" ON "api_token"("created_ms", "id");

-- CreateIndex
CREATE INDEX "source_node_id_idx" ON "source"("node_id");

-- CreateIndex
CREATE UNIQUE INDEX "source_node_type_node_id_name_key" ON "source"("node_type", "node_id", "name");

-- CreateIndex
CREATE INDEX "errlog_log_time_id_idx" ON "errlog"("log_time", "id");

-- CreateIndex
CREATE INDEX "errlog_level_log_time_id_idx" ON "errlog"("level", "log_time", "id");

-- CreateIndex
CREATE INDEX "errlog_src_level_log_time_id_idx" ON "errlog"("src", "level", "log_time", "id");

-- CreateIndex
CREATE INDEX "errlog_app_id_log_time_id_idx" ON "errlog"("app_id", "log_time", "id");

-- CreateIndex
CREATE UNIQUE INDEX "errlog_src_app_id_level_fingerprint_key" ON "errlog"("src", "app_id", "level", "fingerprint");

-- CreateIndex
CREATE INDEX "errlog_event_errlog_id_time_id_idx" ON "errlog_event"("errlog_id", "time", "id");

-- CreateIndex
CREATE INDEX "errlog_event_req_id_errlog_id_idx" ON "errlog_event"("req_id", "errlog_id") WHERE (req_id <> '');

-- CreateIndex
CREATE UNIQUE INDEX "agent_node_id_key" ON "agent"("node_id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_secret_hash_key" ON "agent"("secret_hash");

-- CreateIndex
CREATE INDEX "agent_created_ms_id_idx" ON "agent"("created_ms", "id");

-- CreateIndex
CREATE INDEX "agent_announced_online_last_reported_ms_idx" ON "agent"("announced_online", "last_reported_ms");

-- CreateIndex
CREATE INDEX "event_time_ms_idx" ON "event"("time_ms");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "errlog" ADD CONSTRAINT "errlog_src_fkey" FOREIGN KEY ("src") REFERENCES "source"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "errlog_event" ADD CONSTRAINT "errlog_event_errlog_id_fkey" FOREIGN KEY ("errlog_id") REFERENCES "errlog"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Source 0 is this server itself.
INSERT INTO "source" ("id", "node_type", "node_id", "name", "address", "created_ms")
VALUES (0, 1, -1, 'quarterdeck', '', (extract(epoch FROM now()) * 1000)::bigint);
