// Generated from the contract by pnpm generate.
import type { EndpointInfo } from '../contract/endpoint-info.ts';

/** Every endpoint of the contract by noun and verb, without schemas. */
export const ENDPOINTS = {
 "errlog.list": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog",
  "summary": "Error logs, grouped, most recently seen first",
  "access": "errlog:read",
  "detail": true,
  "query": {
   "node_id": {
    "type": "number"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "app_id": {
    "type": "number"
   },
   "service": {
    "type": "text",
    "about": "Program that writes the lines"
   },
   "req_id": {
    "type": "text",
    "about": "Groups with a stored line of this request id"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "start_time": {
    "type": "time",
    "about": "Groups that happened at this time or later, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Groups that happened at this time or earlier, Unix seconds"
   },
   "state": {
    "type": "text",
    "about": "One or more of new, ongoing, regressed, muted, resolved, comma-separated"
   },
   "q": {
    "type": "text",
    "about": "Groups with a stored line that contains this, taken literally; ASCII letters in any case"
   },
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "fingerprint": {
    "type": "text",
    "about": "The same error on every source"
   },
   "sort": {
    "type": "text",
    "about": "Default -log_time; with rollup only -log_time, -count and count",
    "values": [
     "-log_time",
     "log_time",
     "-first_seen",
     "first_seen",
     "-count",
     "count"
    ]
   },
   "rollup": {
    "type": "flag",
    "about": "Default 0; 1 shows the same error on several sources as one row"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].level",
   "data[].count",
   "data[].src",
   "data[].log_time",
   "data[].log",
   "data[].first_seen",
   "data[].state",
   "data[].state_since",
   "data[].until",
   "data[].until_time",
   "data[].note",
   "data[].app_id",
   "data[].node_type",
   "data[].node_id",
   "data[].source",
   "data[].host",
   "data[].fingerprint",
   "data[].service",
   "data[].sources",
   "data[].count_in_range",
   "data[].log_time_in_range",
   "data[].log_in_range",
   "meta",
   "meta.count",
   "meta.capped",
   "meta.complete",
   "meta.why_empty",
   "meta.silent_since",
   "meta.next"
  ]
 },
 "errlog.append": {
  "method": "POST",
  "path": "/admin-api/log_server/errlog",
  "summary": "Send error-log lines: a JSON array, one JSON object, or NDJSON; with Idempotency-Key a batch counts once",
  "access": "errlog:write",
  "query": {
   "dry_run": {
    "type": "flag",
    "about": "Show how lines would be grouped, without storing them"
   }
  },
  "body": {},
  "data": [
   "accepted",
   "refused",
   "refused[].index",
   "refused[].message",
   "warnings",
   "warnings[].index",
   "warnings[].fields",
   "warnings[].message",
   "warned",
   "preview",
   "preview[].index",
   "preview[].level",
   "preview[].log",
   "preview[].fingerprint",
   "preview[].pattern",
   "preview[].group",
   "preview[].source",
   "preview[].host",
   "preview[].service",
   "preview[].fields",
   "preview[].fields.*"
  ]
 },
 "errlog.histogram": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog/histogram",
  "summary": "Histogram of the errors of a filter by time and level, from start_time to end_time",
  "access": "errlog:read",
  "query": {
   "node_id": {
    "type": "number"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "app_id": {
    "type": "number"
   },
   "service": {
    "type": "text",
    "about": "Program that writes the lines"
   },
   "req_id": {
    "type": "text",
    "about": "Groups with a stored line of this request id"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "start_time": {
    "type": "time",
    "about": "Groups that happened at this time or later, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Groups that happened at this time or earlier, Unix seconds"
   },
   "state": {
    "type": "text",
    "about": "One or more of new, ongoing, regressed, muted, resolved, comma-separated"
   },
   "q": {
    "type": "text",
    "about": "Groups with a stored line that contains this, taken literally; ASCII letters in any case"
   },
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "fingerprint": {
    "type": "text",
    "about": "The same error on every source"
   },
   "buckets": {
    "type": "number",
    "about": "Maximum number of buckets; default 60"
   }
  },
  "body": {},
  "data": [
   "start",
   "end",
   "step",
   "buckets",
   "buckets[].time",
   "buckets[].count",
   "buckets[].levels",
   "partial",
   "meta",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to",
   "meta.why_empty",
   "meta.silent_since"
  ]
 },
 "errlog.facets": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog/facets",
  "summary": "Levels, states, top sources, apps and services of the groups of a filter",
  "access": "errlog:read",
  "query": {
   "node_id": {
    "type": "number"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "app_id": {
    "type": "number"
   },
   "service": {
    "type": "text",
    "about": "Program that writes the lines"
   },
   "req_id": {
    "type": "text",
    "about": "Groups with a stored line of this request id"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "start_time": {
    "type": "time",
    "about": "Groups that happened at this time or later, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Groups that happened at this time or earlier, Unix seconds"
   },
   "state": {
    "type": "text",
    "about": "One or more of new, ongoing, regressed, muted, resolved, comma-separated"
   },
   "q": {
    "type": "text",
    "about": "Groups with a stored line that contains this, taken literally; ASCII letters in any case"
   },
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "fingerprint": {
    "type": "text",
    "about": "The same error on every source"
   },
   "top": {
    "type": "number"
   }
  },
  "body": {},
  "data": [
   "levels",
   "levels[].level",
   "levels[].count",
   "states",
   "states[].state",
   "states[].count",
   "sources",
   "sources[].src",
   "sources[].name",
   "sources[].node_type",
   "sources[].node_id",
   "sources[].count",
   "apps",
   "apps[].app_id",
   "apps[].count",
   "services",
   "services[].service",
   "services[].count",
   "partial",
   "meta",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to",
   "meta.why_empty",
   "meta.silent_since"
  ]
 },
 "errlog.bulk": {
  "method": "POST",
  "path": "/admin-api/log_server/errlog/bulk",
  "summary": "Resolve, mute or reopen many groups",
  "access": "errlog:manage",
  "query": {
   "dry_run": {
    "type": "flag",
    "about": "Same as in the body"
   }
  },
  "body": {
   "ids": {
    "type": "numbers"
   },
   "filter": {
    "type": "json"
   },
   "state": {
    "type": "text",
    "values": [
     "new",
     "ongoing",
     "regressed",
     "muted",
     "resolved"
    ],
    "required": true
   },
   "until": {
    "type": "text",
    "about": "End of the mute: 1h, 7d, 100x, 100x/1h or forever"
   },
   "dry_run": {
    "type": "flag",
    "about": "Report the result without a change"
   }
  },
  "data": [
   "matched",
   "done",
   "failed",
   "failed[].id",
   "failed[].msg"
  ]
 },
 "errlog.get": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog/{id}",
  "summary": "One group, with all details",
  "access": "errlog:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "level",
   "count",
   "src",
   "log_time",
   "log",
   "first_seen",
   "state",
   "state_since",
   "until",
   "until_time",
   "note",
   "app_id",
   "node_type",
   "node_id",
   "source",
   "host",
   "fingerprint",
   "service",
   "sources",
   "count_in_range",
   "log_time_in_range",
   "log_in_range"
  ]
 },
 "errlog.update": {
  "method": "PUT",
  "path": "/admin-api/log_server/errlog/{id}",
  "summary": "Resolve, mute or reopen a group, or write a note",
  "access": "errlog:manage",
  "query": {},
  "body": {
   "state": {
    "type": "text",
    "values": [
     "new",
     "ongoing",
     "regressed",
     "muted",
     "resolved"
    ]
   },
   "until": {
    "type": "text",
    "about": "End of the mute: 1h, 7d, 100x, 100x/1h or forever"
   },
   "note": {
    "type": "text"
   }
  },
  "data": [
   "id",
   "level",
   "count",
   "src",
   "log_time",
   "log",
   "first_seen",
   "state",
   "state_since",
   "until",
   "until_time",
   "note",
   "app_id",
   "node_type",
   "node_id",
   "source",
   "host",
   "fingerprint",
   "service",
   "sources",
   "count_in_range",
   "log_time_in_range",
   "log_in_range"
  ]
 },
 "errlog.occurrences": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog/{id}/events",
  "summary": "Occurrences of a group, latest arrival first; retention may have removed some",
  "access": "errlog:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].time",
   "data[].count",
   "data[].req_id",
   "data[].app_id",
   "data[].log",
   "data[].fields",
   "data[].fields.*",
   "meta",
   "meta.count"
  ]
 },
 "errlog.changes": {
  "method": "GET",
  "path": "/admin-api/log_server/errlog/{id}/changes",
  "summary": "Changes on the affected agents before an error began or became more frequent",
  "access": "errlog:read",
  "query": {
   "within": {
    "type": "duration",
    "about": "Seconds to look back; default 3600"
   }
  },
  "body": {},
  "data": [
   "windows",
   "windows[].kind",
   "windows[].time",
   "windows[].from",
   "windows[].count",
   "windows[].usual",
   "windows[].affected",
   "windows[].unaffected",
   "windows[].unknown",
   "windows[].label",
   "windows[].label.name",
   "windows[].label.value",
   "windows[].label.affected",
   "windows[].label.affected.with",
   "windows[].label.affected.of",
   "windows[].label.unaffected",
   "windows[].label.unaffected.with",
   "windows[].label.unaffected.of",
   "windows[].summary",
   "windows[].changes",
   "windows[].changes[].kind",
   "windows[].changes[].field",
   "windows[].changes[].name",
   "windows[].changes[].from",
   "windows[].changes[].to",
   "windows[].changes[].affected",
   "windows[].changes[].affected.with",
   "windows[].changes[].affected.of",
   "windows[].changes[].unaffected",
   "windows[].changes[].unaffected.with",
   "windows[].changes[].unaffected.of",
   "windows[].changes[].strength",
   "windows[].changes[].score",
   "windows[].changes[].first",
   "windows[].changes[].last",
   "windows[].changes[].before",
   "windows[].changes[].change_id",
   "windows[].changes[].url",
   "windows[].changes[].has_diff",
   "windows[].changes[].with",
   "windows[].changes[].with[].kind",
   "windows[].changes[].with[].field",
   "windows[].changes[].with[].name",
   "windows[].changes[].with[].from",
   "windows[].changes[].with[].to",
   "windows[].changes[].agents",
   "windows[].changes[].agents[].id",
   "windows[].changes[].agents[].hostname",
   "windows[].changes[].agents[].time",
   "windows[].changes[].explanation",
   "complete"
  ]
 },
 "errlog.sources": {
  "method": "GET",
  "path": "/admin-api/log_server/source",
  "summary": "Sources of error logs, newest first",
  "access": "errlog:read",
  "query": {
   "q": {
    "type": "text",
    "about": "Part of the name or the address"
   },
   "agent_id": {
    "type": "number",
    "about": "Sources of this agent"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].node_type",
   "data[].node_id",
   "data[].name",
   "data[].address",
   "data[].created",
   "data[].groups",
   "data[].agent_id",
   "meta",
   "meta.count"
  ]
 },
 "apiToken.list": {
  "method": "GET",
  "path": "/admin-api/api_token",
  "summary": "API tokens, newest first",
  "access": "api_token:read",
  "detail": true,
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].name",
   "data[].expire",
   "data[]._created_unix",
   "data[]._modified_unix",
   "data[].uid",
   "data[].username",
   "data[].kind",
   "data[].token_tail",
   "data[].state",
   "data[].scopes",
   "data[].allowed_cidrs",
   "data[].last_used",
   "data[].last_address",
   "data[].last_client",
   "data[].grace_until",
   "meta",
   "meta.count"
  ]
 },
 "apiToken.self": {
  "method": "GET",
  "path": "/admin-api/api_token/self",
  "summary": "The API token of this request, with all details",
  "access": "api_token",
  "query": {},
  "body": {},
  "data": [
   "id",
   "name",
   "expire",
   "_created_unix",
   "_modified_unix",
   "uid",
   "username",
   "kind",
   "token_tail",
   "state",
   "scopes",
   "allowed_cidrs",
   "last_used",
   "last_address",
   "last_client",
   "grace_until"
  ]
 },
 "apiToken.removeSelf": {
  "method": "DELETE",
  "path": "/admin-api/api_token/self",
  "summary": "Revoke the API token of this request",
  "access": "api_token",
  "query": {},
  "body": {},
  "data": []
 },
 "apiToken.revoke": {
  "method": "POST",
  "path": "/admin-api/api_token/revoke",
  "summary": "Revoke leaked API tokens by their secrets",
  "access": "public",
  "query": {},
  "body": {
   "tokens": {
    "type": "texts",
    "required": true
   }
  },
  "data": [
   "revoked"
  ]
 },
 "apiToken.get": {
  "method": "GET",
  "path": "/admin-api/api_token/{id}",
  "summary": "One API token",
  "access": "api_token:read",
  "detail": true,
  "query": {},
  "body": {},
  "data": [
   "id",
   "name",
   "expire",
   "_created_unix",
   "_modified_unix",
   "uid",
   "username",
   "kind",
   "token_tail",
   "state",
   "scopes",
   "allowed_cidrs",
   "last_used",
   "last_address",
   "last_client",
   "grace_until"
  ]
 },
 "apiToken.create": {
  "method": "POST",
  "path": "/admin-api/api_token",
  "summary": "Create an API token; only this answer has its secret",
  "access": "api_token:write",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "expire": {
    "type": "expiry",
    "about": "Unix milliseconds, 0 = never"
   },
   "kind": {
    "type": "text",
    "about": "sentry = the key of a DSN, with the scope errlog:write alone; default api",
    "values": [
     "api",
     "sentry"
    ]
   },
   "scopes": {
    "type": "texts",
    "about": "Permissions of the token; absent = all of the owner's",
    "values": [
     "api_token:read",
     "api_token:write",
     "api_token:manage",
     "errlog:read",
     "errlog:write",
     "errlog:manage",
     "errlog:erase",
     "agent:read",
     "agent:write",
     "agent:enroll",
     "change:write",
     "alert:read",
     "alert:write",
     "webhook:manage",
     "enrollment:manage",
     "user:read",
     "user:write",
     "audit:read",
     "metrics:read"
    ]
   },
   "allowed_cidrs": {
    "type": "texts"
   }
  },
  "data": [
   "id",
   "name",
   "expire",
   "_created_unix",
   "_modified_unix",
   "uid",
   "username",
   "kind",
   "token_tail",
   "state",
   "scopes",
   "allowed_cidrs",
   "last_used",
   "last_address",
   "last_client",
   "grace_until",
   "token"
  ]
 },
 "apiToken.update": {
  "method": "PUT",
  "path": "/admin-api/api_token/{id}",
  "summary": "Rename an API token or change its expiry; extending an expired one reactivates it",
  "access": "api_token:write",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "expire": {
    "type": "expiry",
    "about": "Unix milliseconds, 0 = never"
   }
  },
  "data": []
 },
 "apiToken.remove": {
  "method": "DELETE",
  "path": "/admin-api/api_token/{id}",
  "summary": "Revoke an API token",
  "access": "api_token:write",
  "query": {},
  "body": {},
  "data": []
 },
 "apiToken.rotate": {
  "method": "POST",
  "path": "/admin-api/api_token/{id}/rotate",
  "summary": "Rotate the secret of an API token, optionally with a grace period for the old one",
  "access": "api_token:write",
  "query": {},
  "body": {
   "grace": {
    "type": "duration",
    "about": "Seconds for which the old secret still works; default 0"
   }
  },
  "data": [
   "id",
   "name",
   "expire",
   "_created_unix",
   "_modified_unix",
   "uid",
   "username",
   "kind",
   "token_tail",
   "state",
   "scopes",
   "allowed_cidrs",
   "last_used",
   "last_address",
   "last_client",
   "grace_until",
   "token"
  ]
 },
 "apiToken.disable": {
  "method": "POST",
  "path": "/admin-api/api_token/{id}/disable",
  "summary": "Disable an API token",
  "access": "api_token:write",
  "query": {},
  "body": {},
  "data": []
 },
 "apiToken.enable": {
  "method": "POST",
  "path": "/admin-api/api_token/{id}/enable",
  "summary": "Enable a disabled API token",
  "access": "api_token:write",
  "query": {},
  "body": {},
  "data": []
 },
 "enrollment.list": {
  "method": "GET",
  "path": "/api/agents/enrollment",
  "summary": "Enrollment tokens, newest first",
  "access": "enrollment:manage",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].name",
   "data[].expire",
   "data[].uses",
   "data[].used",
   "data[].labels",
   "data[].labels.*",
   "data[].state",
   "data[].token_tail",
   "data[].created",
   "data[].created_by",
   "data[].last_used",
   "meta",
   "meta.count"
  ]
 },
 "enrollment.create": {
  "method": "POST",
  "path": "/api/agents/enrollment",
  "summary": "Create an enrollment token; only this answer has its secret",
  "access": "enrollment:manage",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "expire": {
    "type": "expiry",
    "about": "Unix milliseconds; absent or 0 = never"
   },
   "uses": {
    "type": "number",
    "about": "Default 0 = unlimited"
   },
   "labels": {
    "type": "pairs"
   }
  },
  "data": [
   "id",
   "name",
   "expire",
   "uses",
   "used",
   "labels",
   "labels.*",
   "state",
   "token_tail",
   "created",
   "created_by",
   "last_used",
   "token"
  ]
 },
 "enrollment.get": {
  "method": "GET",
  "path": "/api/agents/enrollment/{id}",
  "summary": "One enrollment token",
  "access": "enrollment:manage",
  "query": {},
  "body": {},
  "data": [
   "id",
   "name",
   "expire",
   "uses",
   "used",
   "labels",
   "labels.*",
   "state",
   "token_tail",
   "created",
   "created_by",
   "last_used"
  ]
 },
 "enrollment.update": {
  "method": "PUT",
  "path": "/api/agents/enrollment/{id}",
  "summary": "Change the name of an enrollment token, or the labels of agents that register from now on",
  "access": "enrollment:manage",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "labels": {
    "type": "pairs",
    "about": "All labels: others are removed"
   }
  },
  "data": [
   "id",
   "name",
   "expire",
   "uses",
   "used",
   "labels",
   "labels.*",
   "state",
   "token_tail",
   "created",
   "created_by",
   "last_used"
  ]
 },
 "enrollment.remove": {
  "method": "DELETE",
  "path": "/api/agents/enrollment/{id}",
  "summary": "Revoke an enrollment token; its agents stay enrolled",
  "access": "enrollment:manage",
  "query": {},
  "body": {},
  "data": []
 },
 "agentOperation.list": {
  "method": "GET",
  "path": "/api/agents/operation",
  "summary": "Operations, newest first",
  "access": "agent:read",
  "query": {
   "agent_id": {
    "type": "number"
   },
   "state": {
    "type": "text",
    "values": [
     "queued",
     "delivered",
     "running",
     "succeeded",
     "failed",
     "expired",
     "cancelled"
    ]
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].agent_id",
   "data[].hostname",
   "data[].kind",
   "data[].params",
   "data[].params.version",
   "data[].state",
   "data[].progress",
   "data[].detail",
   "data[].created",
   "data[].modified",
   "data[].deadline",
   "data[].created_by",
   "meta",
   "meta.count"
  ]
 },
 "agentOperation.create": {
  "method": "POST",
  "path": "/api/agents/operation",
  "summary": "Request an operation from an agent, which receives it with its next report",
  "access": "agent:write",
  "query": {},
  "body": {
   "agent_id": {
    "type": "number",
    "required": true
   },
   "kind": {
    "type": "text",
    "values": [
     "collect_facts",
     "upgrade",
     "restart_tailer"
    ],
    "required": true
   },
   "params": {
    "type": "json"
   },
   "start_within": {
    "type": "duration",
    "about": "Seconds for the agent to begin; default 3600"
   },
   "run_within": {
    "type": "duration",
    "about": "Seconds for the agent to finish after its begin; default 1800"
   }
  },
  "data": [
   "id",
   "agent_id",
   "hostname",
   "kind",
   "params",
   "params.version",
   "state",
   "progress",
   "detail",
   "created",
   "modified",
   "deadline",
   "created_by"
  ]
 },
 "agentOperation.cancel": {
  "method": "DELETE",
  "path": "/api/agents/operation/{id}",
  "summary": "Cancel an operation that the agent has not begun",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": []
 },
 "kernelRule.list": {
  "method": "GET",
  "path": "/api/agents/kernel_rule",
  "summary": "Patterns of bad kernels, newest first",
  "access": "agent:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].pattern",
   "data[].reason",
   "data[].agents",
   "data[].created",
   "data[].created_by",
   "meta",
   "meta.count"
  ]
 },
 "kernelRule.create": {
  "method": "POST",
  "path": "/api/agents/kernel_rule",
  "summary": "Mark the kernels that match a pattern as bad",
  "access": "agent:write",
  "query": {},
  "body": {
   "pattern": {
    "type": "text",
    "about": "Complete kernel name; * matches any text, ? any character: 5.10.0-2?-*",
    "required": true
   },
   "reason": {
    "type": "text",
    "about": "Shown with each matching agent",
    "required": true
   }
  },
  "data": [
   "id",
   "pattern",
   "reason",
   "agents",
   "created",
   "created_by"
  ]
 },
 "kernelRule.remove": {
  "method": "DELETE",
  "path": "/api/agents/kernel_rule/{id}",
  "summary": "Delete a pattern",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": []
 },
 "outage.list": {
  "method": "GET",
  "path": "/api/agents/outage",
  "summary": "Outages, at which many agents went silent together, newest first",
  "access": "agent:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].started",
   "data[].ended",
   "data[].lost",
   "data[].returned",
   "data[].sample",
   "data[].sample[].id",
   "data[].sample[].hostname",
   "meta",
   "meta.count"
  ]
 },
 "change.list": {
  "method": "GET",
  "path": "/admin-api/change",
  "summary": "Changes from outside, such as deployments, latest first",
  "access": "agent:read",
  "query": {
   "kind": {
    "type": "text",
    "about": "This kind exactly"
   },
   "name": {
    "type": "text",
    "about": "This name exactly"
   },
   "service": {
    "type": "text",
    "about": "This service exactly"
   },
   "host": {
    "type": "text",
    "about": "Changes that concern the agent with this hostname, node_id or address, or that name this host"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   },
   "q": {
    "type": "text",
    "about": "Part of the kind, the name, the values, the service or the author; letters in any case"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].time",
   "data[].kind",
   "data[].name",
   "data[].before",
   "data[].after",
   "data[].hosts",
   "data[].host_count",
   "data[].unknown_hosts",
   "data[].labels",
   "data[].labels.*",
   "data[].agents",
   "data[].service",
   "data[].url",
   "data[].author",
   "data[].created",
   "data[].created_by",
   "meta",
   "meta.count"
  ]
 },
 "change.create": {
  "method": "POST",
  "path": "/admin-api/change",
  "summary": "Report a change of hosts; with Idempotency-Key a repeated report counts once",
  "access": "change:write",
  "query": {},
  "body": {
   "time": {
    "type": "time",
    "about": "Default now; at most 5 minutes ahead of the server and 30 days back"
   },
   "kind": {
    "type": "text",
    "about": "Kind of change in your own words, such as deploy",
    "required": true
   },
   "name": {
    "type": "text",
    "about": "Name of the changed thing, such as a service",
    "required": true
   },
   "before": {
    "type": "text",
    "about": "Value or version before"
   },
   "after": {
    "type": "text",
    "about": "Value or version after"
   },
   "hosts": {
    "type": "texts",
    "about": "Hostnames, node_ids or addresses of agents, or names of sources"
   },
   "labels": {
    "type": "pairs",
    "about": "Concerns the agents with all of these labels"
   },
   "service": {
    "type": "text",
    "about": "Service that was changed, as in log lines"
   },
   "url": {
    "type": "text",
    "about": "Page about the change: http or https"
   },
   "author": {
    "type": "text",
    "about": "Person who made the change"
   }
  },
  "data": [
   "id",
   "unknown_hosts"
  ]
 },
 "change.get": {
  "method": "GET",
  "path": "/admin-api/change/{id}",
  "summary": "One change from outside, with all of its hosts",
  "access": "agent:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "time",
   "kind",
   "name",
   "before",
   "after",
   "hosts",
   "host_count",
   "unknown_hosts",
   "labels",
   "labels.*",
   "agents",
   "service",
   "url",
   "author",
   "created",
   "created_by"
  ]
 },
 "change.effects": {
  "method": "GET",
  "path": "/admin-api/change/{id}/effects",
  "summary": "Errors that became new, more or less frequent on the hosts that made a change, but not on the others",
  "access": "errlog:read",
  "query": {
   "within": {
    "type": "duration",
    "about": "Seconds to compare before and after the change; default 3600"
   }
  },
  "body": {},
  "data": [
   "verdict",
   "time",
   "from",
   "until",
   "hosts",
   "others",
   "complete",
   "errors",
   "errors[].id",
   "errors[].level",
   "errors[].log",
   "errors[].service",
   "errors[].before",
   "errors[].after",
   "errors[].others_before",
   "errors[].others_after",
   "errors[].verdict"
  ]
 },
 "agent.list": {
  "method": "GET",
  "path": "/api/agents",
  "summary": "Agents, newest first; the total is in X-Total-Count",
  "access": "agent:read",
  "detail": true,
  "query": {
   "include_deleted": {
    "type": "flag",
    "about": "Default 0; 1 includes deleted agents, as does `state` with deleted"
   },
   "online": {
    "type": "flag"
   },
   "state": {
    "type": "text",
    "about": "One or more of pending, online, offline, inactive, deleted, comma-separated"
   },
   "env": {
    "type": "text",
    "about": "This environment exactly"
   },
   "label": {
    "type": "text",
    "about": "`name` or `name=value`, comma-separated; all must match"
   },
   "kernel": {
    "type": "text",
    "about": "This kernel exactly"
   },
   "bad_kernel": {
    "type": "flag"
   },
   "maintenance": {
    "type": "flag"
   },
   "cloned": {
    "type": "flag"
   },
   "q": {
    "type": "text",
    "about": "Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case"
   },
   "filter": {
    "type": "text",
    "about": "Filter language over agents: text as in `q`, and the fields state, host, node, address, note, env, online, maintenance, bad_kernel, cloned, kernel, kernel_package, kernel_build, distribution, os, libc, stap, odb, version, transient_events, autorun_tools, interval, id, since, until and label.NAME"
   },
   "sort": {
    "type": "text",
    "about": "Default -created",
    "values": [
     "-created",
     "created",
     "hostname",
     "-hostname",
     "-last_reported",
     "last_reported",
     "-state_since",
     "state_since",
     "kernel",
     "-kernel",
     "-package",
     "package"
    ]
   },
   "at": {
    "type": "time",
    "about": "The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it"
   }
  },
  "body": {},
  "data": [
   "[].id",
   "[].node_id",
   "[].hostname",
   "[].ip",
   "[].env",
   "[].online",
   "[].is_deleted",
   "[].bad_kernel",
   "[].catch_transient_event",
   "[].autorun_tools",
   "[].note",
   "[].system_name",
   "[].created",
   "[].modified",
   "[].last_reported",
   "[].progress",
   "[].progress.current",
   "[].progress.detail",
   "[].package",
   "[].package.version",
   "[].package.timestamp",
   "[].dependency",
   "[].dependency.stap_version",
   "[].dependency.odb_version",
   "[].system_version",
   "[].system_version.kernel_package",
   "[].system_version.kernel_bid",
   "[].system_version.kernel_distro",
   "[].system_version.libc",
   "[].system_version.kernel",
   "[].interval",
   "[].state",
   "[].reason",
   "[].state_since",
   "[].maintenance",
   "[].labels",
   "[].labels.*",
   "[].bad_kernel_reason",
   "[].cloned",
   "[].boot_time",
   "[].started",
   "[].shipper",
   "[].shipper.files",
   "[].shipper.files_refused",
   "[].shipper.lines",
   "[].shipper.bytes_waiting",
   "[].shipper.lines_dropped",
   "[].shipper.lines_refused",
   "[].shipper.unclear_files",
   "[].shipper.unclear_files[].path",
   "[].shipper.unclear_files[].lines",
   "[].shipper.unclear_files[].lines_without_time",
   "[].shipper.unclear_files[].lines_without_level",
   "[].enrollment_id",
   "[].unknown"
  ]
 },
 "agent.totals": {
  "method": "GET",
  "path": "/api/agents/totals",
  "summary": "Numbers of agents that a filter matches, by kind",
  "access": "agent:read",
  "query": {
   "include_deleted": {
    "type": "flag",
    "about": "Default 0; 1 includes deleted agents, as does `state` with deleted"
   },
   "online": {
    "type": "flag"
   },
   "state": {
    "type": "text",
    "about": "One or more of pending, online, offline, inactive, deleted, comma-separated"
   },
   "env": {
    "type": "text",
    "about": "This environment exactly"
   },
   "label": {
    "type": "text",
    "about": "`name` or `name=value`, comma-separated; all must match"
   },
   "kernel": {
    "type": "text",
    "about": "This kernel exactly"
   },
   "bad_kernel": {
    "type": "flag"
   },
   "maintenance": {
    "type": "flag"
   },
   "cloned": {
    "type": "flag"
   },
   "q": {
    "type": "text",
    "about": "Part of the hostname, the node_id, the address, the note or a label; taken literally, letters in any case"
   },
   "filter": {
    "type": "text",
    "about": "Filter language over agents: text as in `q`, and the fields state, host, node, address, note, env, online, maintenance, bad_kernel, cloned, kernel, kernel_package, kernel_build, distribution, os, libc, stap, odb, version, transient_events, autorun_tools, interval, id, since, until and label.NAME"
   },
   "at": {
    "type": "time",
    "about": "The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it"
   }
  },
  "body": {},
  "data": [
   "count",
   "online",
   "bad_kernel",
   "maintenance",
   "cloned",
   "states",
   "states[].state",
   "states[].count",
   "envs",
   "envs[].value",
   "envs[].count",
   "kernels",
   "kernels[].value",
   "kernels[].count",
   "packages",
   "packages[].value",
   "packages[].count",
   "systems",
   "systems[].value",
   "systems[].count",
   "labels",
   "labels[].value",
   "labels[].count"
  ]
 },
 "agent.bulk": {
  "method": "POST",
  "path": "/api/agents/bulk",
  "summary": "Update, delete, restore, purge or operate many agents",
  "access": "agent:write",
  "query": {
   "dry_run": {
    "type": "flag",
    "about": "Same as in the body"
   }
  },
  "body": {
   "ids": {
    "type": "numbers"
   },
   "filter": {
    "type": "json"
   },
   "action": {
    "type": "text",
    "values": [
     "update",
     "delete",
     "restore",
     "purge",
     "operate"
    ],
    "required": true
   },
   "note": {
    "type": "text"
   },
   "labels": {
    "type": "pairs",
    "about": "All labels: others are removed"
   },
   "catch_transient_event": {
    "type": "flag"
   },
   "autorun_tools": {
    "type": "flag"
   },
   "maintenance": {
    "type": "flag"
   },
   "kind": {
    "type": "text",
    "about": "With operate",
    "values": [
     "collect_facts",
     "upgrade",
     "restart_tailer"
    ]
   },
   "params": {
    "type": "json",
    "about": "With operate"
   },
   "dry_run": {
    "type": "flag",
    "about": "Report the result without a change"
   }
  },
  "data": [
   "matched",
   "done",
   "failed",
   "failed[].id",
   "failed[].msg"
  ]
 },
 "agent.register": {
  "method": "POST",
  "path": "/api/agents/register",
  "summary": "Enroll an agent; the same node_id again gives the same id and a new secret, unless its agent is online",
  "access": "agent:enroll",
  "query": {},
  "body": {
   "node_id": {
    "type": "text",
    "required": true
   },
   "hostname": {
    "type": "text",
    "required": true
   },
   "ip": {
    "type": "text"
   },
   "env": {
    "type": "text"
   },
   "system_name": {
    "type": "text"
   },
   "bad_kernel": {
    "type": "flag"
   },
   "catch_transient_event": {
    "type": "flag"
   },
   "autorun_tools": {
    "type": "flag"
   },
   "progress": {
    "type": "json"
   },
   "package": {
    "type": "json"
   },
   "dependency": {
    "type": "json"
   },
   "system_version": {
    "type": "json"
   },
   "boot_time": {
    "type": "time",
    "about": "Unix seconds"
   },
   "started": {
    "type": "number",
    "about": "Unix seconds"
   },
   "force": {
    "type": "flag",
    "about": "Replace an online agent with this node_id, whose secret ends; requires agent:write"
   }
  },
  "data": [
   "id",
   "secret",
   "interval"
  ]
 },
 "agent.heartbeat": {
  "method": "POST",
  "path": "/api/agents/{id}/heartbeat",
  "summary": "Send a heartbeat with the changed facts of an agent",
  "access": "agent",
  "query": {},
  "body": {
   "hostname": {
    "type": "text"
   },
   "ip": {
    "type": "text"
   },
   "env": {
    "type": "text"
   },
   "system_name": {
    "type": "text"
   },
   "bad_kernel": {
    "type": "flag"
   },
   "catch_transient_event": {
    "type": "flag"
   },
   "autorun_tools": {
    "type": "flag"
   },
   "progress": {
    "type": "json"
   },
   "package": {
    "type": "json"
   },
   "dependency": {
    "type": "json"
   },
   "system_version": {
    "type": "json"
   },
   "boot_time": {
    "type": "time",
    "about": "Unix seconds"
   },
   "started": {
    "type": "number",
    "about": "Unix seconds"
   },
   "shipper": {
    "type": "json"
   },
   "operations": {
    "type": "texts"
   },
   "changes": {
    "type": "texts"
   },
   "certificates": {
    "type": "texts",
    "about": "All certificates that it watches, those that expire first"
   }
  },
  "data": [
   "interval",
   "settings",
   "settings.catch_transient_event",
   "settings.autorun_tools",
   "operations",
   "operations[].id",
   "operations[].kind",
   "operations[].params",
   "operations[].params.version",
   "operations[].deadline",
   "operations[].seconds",
   "changes_stored"
  ]
 },
 "agent.shutdown": {
  "method": "POST",
  "path": "/api/agents/{id}/shutdown",
  "summary": "Report that the agent stops; it is offline from now on",
  "access": "agent",
  "query": {},
  "body": {},
  "data": []
 },
 "agent.get": {
  "method": "GET",
  "path": "/api/agents/{id}",
  "summary": "One agent",
  "access": "agent:read",
  "detail": true,
  "query": {
   "include_deleted": {
    "type": "flag"
   },
   "at": {
    "type": "time",
    "about": "The fleet as it was at this time, Unix seconds; `unknown` names the fields that are not known of it"
   }
  },
  "body": {},
  "data": [
   "id",
   "node_id",
   "hostname",
   "ip",
   "env",
   "online",
   "is_deleted",
   "bad_kernel",
   "catch_transient_event",
   "autorun_tools",
   "note",
   "system_name",
   "created",
   "modified",
   "last_reported",
   "progress",
   "progress.current",
   "progress.detail",
   "package",
   "package.version",
   "package.timestamp",
   "dependency",
   "dependency.stap_version",
   "dependency.odb_version",
   "system_version",
   "system_version.kernel_package",
   "system_version.kernel_bid",
   "system_version.kernel_distro",
   "system_version.libc",
   "system_version.kernel",
   "interval",
   "state",
   "reason",
   "state_since",
   "maintenance",
   "labels",
   "labels.*",
   "bad_kernel_reason",
   "cloned",
   "boot_time",
   "started",
   "shipper",
   "shipper.files",
   "shipper.files_refused",
   "shipper.lines",
   "shipper.bytes_waiting",
   "shipper.lines_dropped",
   "shipper.lines_refused",
   "shipper.unclear_files",
   "shipper.unclear_files[].path",
   "shipper.unclear_files[].lines",
   "shipper.unclear_files[].lines_without_time",
   "shipper.unclear_files[].lines_without_level",
   "enrollment_id",
   "unknown"
  ]
 },
 "agent.update": {
  "method": "PUT",
  "path": "/api/agents/{id}",
  "summary": "Change the note, the labels, the settings or the maintenance of an agent",
  "access": "agent:write",
  "query": {},
  "body": {
   "note": {
    "type": "text"
   },
   "labels": {
    "type": "pairs",
    "about": "All labels: others are removed"
   },
   "catch_transient_event": {
    "type": "flag"
   },
   "autorun_tools": {
    "type": "flag"
   },
   "maintenance": {
    "type": "flag"
   }
  },
  "data": [
   "id",
   "node_id",
   "hostname",
   "ip",
   "env",
   "online",
   "is_deleted",
   "bad_kernel",
   "catch_transient_event",
   "autorun_tools",
   "note",
   "system_name",
   "created",
   "modified",
   "last_reported",
   "progress",
   "progress.current",
   "progress.detail",
   "package",
   "package.version",
   "package.timestamp",
   "dependency",
   "dependency.stap_version",
   "dependency.odb_version",
   "system_version",
   "system_version.kernel_package",
   "system_version.kernel_bid",
   "system_version.kernel_distro",
   "system_version.libc",
   "system_version.kernel",
   "interval",
   "state",
   "reason",
   "state_since",
   "maintenance",
   "labels",
   "labels.*",
   "bad_kernel_reason",
   "cloned",
   "boot_time",
   "started",
   "shipper",
   "shipper.files",
   "shipper.files_refused",
   "shipper.lines",
   "shipper.bytes_waiting",
   "shipper.lines_dropped",
   "shipper.lines_refused",
   "shipper.unclear_files",
   "shipper.unclear_files[].path",
   "shipper.unclear_files[].lines",
   "shipper.unclear_files[].lines_without_time",
   "shipper.unclear_files[].lines_without_level",
   "enrollment_id",
   "unknown"
  ]
 },
 "agent.remove": {
  "method": "DELETE",
  "path": "/api/agents/{id}",
  "summary": "Delete an agent: its secret stops working, and it is hidden; it can be restored for thirty days",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": []
 },
 "agent.restore": {
  "method": "POST",
  "path": "/api/agents/{id}/restore",
  "summary": "Restore a deleted agent: its secret works again",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": [
   "id",
   "node_id",
   "hostname",
   "ip",
   "env",
   "online",
   "is_deleted",
   "bad_kernel",
   "catch_transient_event",
   "autorun_tools",
   "note",
   "system_name",
   "created",
   "modified",
   "last_reported",
   "progress",
   "progress.current",
   "progress.detail",
   "package",
   "package.version",
   "package.timestamp",
   "dependency",
   "dependency.stap_version",
   "dependency.odb_version",
   "system_version",
   "system_version.kernel_package",
   "system_version.kernel_bid",
   "system_version.kernel_distro",
   "system_version.libc",
   "system_version.kernel",
   "interval",
   "state",
   "reason",
   "state_since",
   "maintenance",
   "labels",
   "labels.*",
   "bad_kernel_reason",
   "cloned",
   "boot_time",
   "started",
   "shipper",
   "shipper.files",
   "shipper.files_refused",
   "shipper.lines",
   "shipper.bytes_waiting",
   "shipper.lines_dropped",
   "shipper.lines_refused",
   "shipper.unclear_files",
   "shipper.unclear_files[].path",
   "shipper.unclear_files[].lines",
   "shipper.unclear_files[].lines_without_time",
   "shipper.unclear_files[].lines_without_level",
   "enrollment_id",
   "unknown"
  ]
 },
 "agent.purge": {
  "method": "POST",
  "path": "/api/agents/{id}/purge",
  "summary": "Purge a deleted agent with its history",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": []
 },
 "agent.events": {
  "method": "GET",
  "path": "/api/agents/{id}/events",
  "summary": "History of an agent, newest first; also of a deleted one",
  "access": "agent:read",
  "query": {
   "kind": {
    "type": "text",
    "values": [
     "registered",
     "online",
     "offline",
     "inactive",
     "changed",
     "restarted",
     "rebooted",
     "cloned",
     "settings",
     "note",
     "labels",
     "maintenance",
     "operation",
     "deleted",
     "restored",
     "change",
     "config",
     "program",
     "package",
     "certificate",
     "unit",
     "clock",
     "disk",
     "dns",
     "time_zone",
     "container"
    ]
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].time",
   "data[].kind",
   "data[].field",
   "data[].name",
   "data[].from",
   "data[].to",
   "data[].actor",
   "data[].change_id",
   "data[].has_diff",
   "meta",
   "meta.count"
  ]
 },
 "agent.diff": {
  "method": "GET",
  "path": "/api/agents/{id}/events/{event}/diff",
  "summary": "Changed lines of a configuration file, with secrets masked by the agent",
  "access": "agent:write",
  "query": {},
  "body": {},
  "data": [
   "diff"
  ]
 },
 "deviceLogin.start": {
  "method": "POST",
  "path": "/admin-api/user/device",
  "summary": "Begin a sign-in at a terminal: it shows the address and the code",
  "access": "public",
  "query": {},
  "body": {
   "name": {
    "type": "text",
    "about": "Name of the terminal, such as ann@gw1; people see it"
   },
   "remember": {
    "type": "flag",
    "about": "The session lasts as long as that of the browser"
   }
  },
  "data": [
   "device_code",
   "user_code",
   "verification_uri",
   "interval",
   "expires_in"
  ]
 },
 "deviceLogin.find": {
  "method": "POST",
  "path": "/admin-api/user/device/find",
  "summary": "The terminal that asks with a user code",
  "access": "session",
  "query": {},
  "body": {
   "user_code": {
    "type": "text",
    "required": true
   }
  },
  "data": [
   "name",
   "address",
   "client",
   "created",
   "expire"
  ]
 },
 "deviceLogin.confirm": {
  "method": "POST",
  "path": "/admin-api/user/device/confirm",
  "summary": "Let the terminal with a user code sign in as the caller, or refuse it",
  "access": "session",
  "query": {},
  "body": {
   "user_code": {
    "type": "text",
    "required": true
   },
   "approve": {
    "type": "flag",
    "about": "false: the terminal is refused"
   }
  },
  "data": []
 },
 "deviceLogin.token": {
  "method": "POST",
  "path": "/admin-api/user/device/token",
  "summary": "The session of the terminal, once its code is confirmed",
  "access": "public",
  "query": {},
  "body": {
   "device_code": {
    "type": "text",
    "required": true
   }
  },
  "data": [
   "_created_unix",
   "_modified_unix",
   "username",
   "edge-token",
   "token",
   "expire",
   "id",
   "role",
   "login_2fa",
   "login_2fa.enabled",
   "login_2fa.method"
  ]
 },
 "user.login": {
  "method": "POST",
  "path": "/admin-api/user/login",
  "summary": "Sign in with a username and password. With the header Quarterdeck-Session: cookie, the session comes as a cookie in place of the token; it counts in requests of the same origin with that header",
  "access": "public",
  "query": {},
  "body": {
   "username": {
    "type": "text",
    "required": true
   },
   "password": {
    "type": "text",
    "required": true
   },
   "remember": {
    "type": "json",
    "about": "true: the session lasts 31 days instead of 8 hours"
   },
   "plugin": {
    "type": "text",
    "about": "Builtin, the default: user name and password. Providers are opened in a browser: GET user/providers"
   },
   "otp": {
    "type": "text",
    "about": "Code of the second factor, or a recovery code"
   }
  },
  "data": [
   "_created_unix",
   "_modified_unix",
   "username",
   "edge-token",
   "token",
   "expire",
   "id",
   "role",
   "login_2fa",
   "login_2fa.enabled",
   "login_2fa.method"
  ]
 },
 "user.providers": {
  "method": "GET",
  "path": "/admin-api/user/providers",
  "summary": "Ways to sign in: providers, and who may use a password",
  "access": "public",
  "query": {},
  "body": {},
  "data": [
   "password_login",
   "providers",
   "providers[].name",
   "providers[].path"
  ]
 },
 "user.logout": {
  "method": "POST",
  "path": "/admin-api/user/logout",
  "summary": "Sign out: end the session of this request",
  "access": "session",
  "query": {},
  "body": {},
  "data": []
 },
 "user.me": {
  "method": "GET",
  "path": "/admin-api/user/me",
  "summary": "Identity and permissions of the caller",
  "access": "signed_in",
  "query": {},
  "body": {},
  "data": [
   "id",
   "username",
   "role",
   "permissions",
   "second_factor",
   "must_set_up_second_factor",
   "credential",
   "credential.kind",
   "credential.id",
   "credential.expire",
   "provider"
  ]
 },
 "user.confirm": {
  "method": "POST",
  "path": "/admin-api/user/me/confirm",
  "summary": "Confirm the session for 10 minutes with the password, and the code of the second factor if it is on",
  "access": "session",
  "query": {},
  "body": {
   "password": {
    "type": "text",
    "required": true
   },
   "otp": {
    "type": "text",
    "about": "Code of the second factor, or a recovery code"
   }
  },
  "data": [
   "until"
  ]
 },
 "user.changePassword": {
  "method": "PUT",
  "path": "/admin-api/user/me/password",
  "summary": "Change one's own password; all other sessions end",
  "access": "session",
  "query": {},
  "body": {
   "current_password": {
    "type": "text",
    "required": true
   },
   "password": {
    "type": "text",
    "required": true
   }
  },
  "data": []
 },
 "user.beginSecondFactor": {
  "method": "POST",
  "path": "/admin-api/user/me/2fa",
  "summary": "Begin to set up a second factor; it takes effect when confirmed",
  "access": "session",
  "query": {},
  "body": {
   "password": {
    "type": "text",
    "required": true
   }
  },
  "data": [
   "secret",
   "uri"
  ]
 },
 "user.confirmSecondFactor": {
  "method": "POST",
  "path": "/admin-api/user/me/2fa/confirm",
  "summary": "Turn the second factor on with a first code",
  "access": "session",
  "query": {},
  "body": {
   "otp": {
    "type": "text",
    "required": true
   }
  },
  "data": [
   "recovery_codes"
  ]
 },
 "user.removeSecondFactor": {
  "method": "DELETE",
  "path": "/admin-api/user/me/2fa",
  "summary": "Turn the second factor off",
  "access": "session",
  "query": {},
  "body": {
   "password": {
    "type": "text",
    "required": true
   },
   "otp": {
    "type": "text",
    "required": true
   }
  },
  "data": []
 },
 "user.sessions": {
  "method": "GET",
  "path": "/admin-api/user/session",
  "summary": "One's own sessions, newest first",
  "access": "session",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].current",
   "data[].address",
   "data[].client",
   "data[].created",
   "data[].last_used",
   "data[].expire",
   "data[].idle_until",
   "meta",
   "meta.count"
  ]
 },
 "user.removeSession": {
  "method": "DELETE",
  "path": "/admin-api/user/session/{id}",
  "summary": "End one of one's own sessions",
  "access": "session",
  "query": {},
  "body": {},
  "data": []
 },
 "user.removeOtherSessions": {
  "method": "DELETE",
  "path": "/admin-api/user/session",
  "summary": "End all of one's own sessions but this one",
  "access": "session",
  "query": {},
  "body": {},
  "data": []
 },
 "user.list": {
  "method": "GET",
  "path": "/admin-api/user/list",
  "summary": "Users, newest first",
  "access": "user:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].username",
   "data[].role",
   "data[].disabled",
   "data[].second_factor",
   "data[]._created_unix",
   "data[]._modified_unix",
   "meta",
   "meta.count"
  ]
 },
 "user.search": {
  "method": "GET",
  "path": "/admin-api/user/search",
  "summary": "The user with a name, or an empty object",
  "access": "user:read",
  "query": {
   "name": {
    "type": "text"
   }
  },
  "body": {},
  "data": [
   "id",
   "username",
   "role",
   "disabled",
   "second_factor",
   "_created_unix",
   "_modified_unix"
  ]
 },
 "user.policy": {
  "method": "GET",
  "path": "/admin-api/user/policy",
  "summary": "Policy for all users",
  "access": "user:read",
  "query": {},
  "body": {},
  "data": [
   "require_2fa"
  ]
 },
 "user.updatePolicy": {
  "method": "PUT",
  "path": "/admin-api/user/policy",
  "summary": "Require a second factor for roles",
  "access": "confirmed user:write",
  "query": {},
  "body": {
   "require_2fa": {
    "type": "texts",
    "about": "Roles that must have a second factor",
    "values": [
     "master",
     "operator",
     "viewer"
    ],
    "required": true
   }
  },
  "data": []
 },
 "user.create": {
  "method": "POST",
  "path": "/admin-api/user",
  "summary": "Create a user",
  "access": "user:write",
  "query": {},
  "body": {
   "username": {
    "type": "text",
    "required": true
   },
   "password": {
    "type": "text",
    "required": true
   },
   "role": {
    "type": "text",
    "values": [
     "master",
     "operator",
     "viewer"
    ],
    "required": true
   }
  },
  "data": [
   "id",
   "username",
   "role",
   "disabled",
   "second_factor",
   "_created_unix",
   "_modified_unix"
  ]
 },
 "user.get": {
  "method": "GET",
  "path": "/admin-api/user/{id}",
  "summary": "One user",
  "access": "user:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "username",
   "role",
   "disabled",
   "second_factor",
   "_created_unix",
   "_modified_unix"
  ]
 },
 "user.update": {
  "method": "PUT",
  "path": "/admin-api/user/{id}",
  "summary": "Change a user; one's own password changes at user/me/password",
  "access": "user:write",
  "query": {},
  "body": {
   "username": {
    "type": "text"
   },
   "password": {
    "type": "text"
   },
   "role": {
    "type": "text",
    "values": [
     "master",
     "operator",
     "viewer"
    ]
   },
   "disabled": {
    "type": "flag"
   }
  },
  "data": []
 },
 "user.remove": {
  "method": "DELETE",
  "path": "/admin-api/user/{id}",
  "summary": "Delete a user with their sessions and API tokens",
  "access": "user:write",
  "query": {},
  "body": {},
  "data": []
 },
 "user.resetSecondFactor": {
  "method": "DELETE",
  "path": "/admin-api/user/{id}/2fa",
  "summary": "Turn off the lost second factor of another user",
  "access": "confirmed user:write",
  "query": {},
  "body": {},
  "data": []
 },
 "user.endSessions": {
  "method": "DELETE",
  "path": "/admin-api/user/{id}/session",
  "summary": "End all sessions of a user",
  "access": "user:write",
  "query": {},
  "body": {},
  "data": []
 },
 "user.unlock": {
  "method": "POST",
  "path": "/admin-api/user/{id}/unlock",
  "summary": "Clear the failed sign-ins of a user",
  "access": "confirmed user:write",
  "query": {},
  "body": {},
  "data": []
 },
 "identity.list": {
  "method": "GET",
  "path": "/admin-api/user/{id}/identity",
  "summary": "People of providers who sign in as a user",
  "access": "user:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].issuer",
   "data[].subject",
   "data[].created",
   "data[].last_used",
   "meta",
   "meta.count"
  ]
 },
 "identity.create": {
  "method": "POST",
  "path": "/admin-api/user/{id}/identity",
  "summary": "Let a person of a provider sign in as a user",
  "access": "confirmed user:write",
  "query": {},
  "body": {
   "issuer": {
    "type": "text",
    "required": true
   },
   "subject": {
    "type": "text",
    "required": true
   }
  },
  "data": [
   "id",
   "issuer",
   "subject",
   "created",
   "last_used"
  ]
 },
 "identity.remove": {
  "method": "DELETE",
  "path": "/admin-api/user/{id}/identity/{identity_id}",
  "summary": "End the link of a person of a provider to a user, and the sessions that it opened",
  "access": "confirmed user:write",
  "query": {},
  "body": {},
  "data": []
 },
 "userGroup.list": {
  "method": "GET",
  "path": "/admin-api/user-group",
  "summary": "Always empty: there are no groups",
  "access": "user:read",
  "query": {},
  "body": {},
  "data": []
 },
 "audit.list": {
  "method": "GET",
  "path": "/admin-api/audit",
  "summary": "Audit log, newest first",
  "access": "audit:read",
  "query": {
   "action": {
    "type": "text",
    "about": "An action, or the noun of several actions"
   },
   "actor_id": {
    "type": "number"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].time",
   "data[].action",
   "data[].actor",
   "data[].actor.kind",
   "data[].actor.id",
   "data[].actor.name",
   "data[].actor.credential",
   "data[].actor.address",
   "data[].target",
   "data[].target.kind",
   "data[].target.id",
   "data[].request_id",
   "data[].detail",
   "data[].detail.*",
   "data[].previous",
   "data[].hash",
   "meta",
   "meta.count"
  ]
 },
 "audit.verify": {
  "method": "GET",
  "path": "/admin-api/audit/verify",
  "summary": "Check that no entry was changed or removed",
  "access": "audit:read",
  "query": {},
  "body": {},
  "data": [
   "intact",
   "checked",
   "broken_at"
  ]
 },
 "system.version": {
  "method": "GET",
  "path": "/admin-api/version",
  "summary": "Version of this server, in the form the official client reads",
  "access": "signed_in",
  "query": {},
  "body": {},
  "data": [
   "version",
   "product_type"
  ]
 },
 "system.profileSync": {
  "method": "GET",
  "path": "/admin-api/profiles/{id}/sync_to_all",
  "summary": "Always false: there are no profiles to send to nodes",
  "access": "signed_in",
  "query": {},
  "body": {},
  "data": [
   "ngx",
   "lua_module"
  ]
 },
 "line.list": {
  "method": "GET",
  "path": "/admin-api/log_server/line",
  "summary": "Stored lines, newest first",
  "access": "errlog:read",
  "query": {
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "q": {
    "type": "text",
    "about": "Lines that contain this, taken literally; ASCII letters in any case"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "app_id": {
    "type": "number"
   },
   "req_id": {
    "type": "text",
    "about": "Lines with this request id"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "node_id": {
    "type": "number"
   },
   "group": {
    "type": "number",
    "about": "Id of an entry in the list of error logs"
   },
   "service": {
    "type": "text"
   },
   "host": {
    "type": "text"
   },
   "before": {
    "type": "text",
    "about": "meta.before of an answer: continues with older lines"
   },
   "after": {
    "type": "text",
    "about": "meta.after of an answer: continues with newer lines"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].time",
   "data[].level",
   "data[].log",
   "data[].fields",
   "data[].fields.*",
   "data[].group",
   "data[].src",
   "data[].source",
   "data[].host",
   "data[].service",
   "data[].app_id",
   "data[].req_id",
   "data[].count",
   "meta",
   "meta.before",
   "meta.after",
   "meta.scanned",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to",
   "meta.why_empty",
   "meta.silent_since"
  ]
 },
 "line.values": {
  "method": "GET",
  "path": "/admin-api/log_server/line/values",
  "summary": "The most frequent values of a field, among the lines of a filter",
  "access": "errlog:read",
  "query": {
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "q": {
    "type": "text",
    "about": "Lines that contain this, taken literally; ASCII letters in any case"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "app_id": {
    "type": "number"
   },
   "req_id": {
    "type": "text",
    "about": "Lines with this request id"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "node_id": {
    "type": "number"
   },
   "group": {
    "type": "number",
    "about": "Id of an entry in the list of error logs"
   },
   "service": {
    "type": "text"
   },
   "host": {
    "type": "text"
   },
   "field": {
    "type": "text",
    "about": "Name of the field in the filter language, such as client or host",
    "required": true
   },
   "top": {
    "type": "number",
    "about": "Number of values; default 10"
   }
  },
  "body": {},
  "data": [
   "values",
   "values[].value",
   "values[].count",
   "other",
   "distinct",
   "meta",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to",
   "meta.why_empty",
   "meta.silent_since"
  ]
 },
 "line.histogram": {
  "method": "GET",
  "path": "/admin-api/log_server/line/histogram",
  "summary": "Histogram of the lines of a filter by time and level; of the last 24 hours unless it has a span",
  "access": "errlog:read",
  "query": {
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB"
   },
   "q": {
    "type": "text",
    "about": "Lines that contain this, taken literally; ASCII letters in any case"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   },
   "level": {
    "type": "level",
    "about": "This level exactly"
   },
   "level_max": {
    "type": "level",
    "about": "This level or more severe"
   },
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "app_id": {
    "type": "number"
   },
   "req_id": {
    "type": "text",
    "about": "Lines with this request id"
   },
   "node_type": {
    "type": "number",
    "about": "0 global, 1 admin site, 2 log server"
   },
   "node_id": {
    "type": "number"
   },
   "group": {
    "type": "number",
    "about": "Id of an entry in the list of error logs"
   },
   "service": {
    "type": "text"
   },
   "host": {
    "type": "text"
   },
   "buckets": {
    "type": "number",
    "about": "Maximum number of buckets; default 60"
   }
  },
  "body": {},
  "data": [
   "start",
   "end",
   "step",
   "buckets",
   "buckets[].time",
   "buckets[].count",
   "buckets[].levels",
   "meta",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to",
   "meta.why_empty",
   "meta.silent_since"
  ]
 },
 "line.erase": {
  "method": "POST",
  "path": "/admin-api/log_server/line/erase",
  "summary": "Erase lines for good, such as a leaked secret; the counts of their groups stay",
  "access": "errlog:erase",
  "query": {},
  "body": {
   "filter": {
    "type": "text",
    "about": "Filter language: text, \"phrases\", /expressions/, field:value, OR, -term and (groups); at most 4 KiB",
    "required": true
   },
   "dry_run": {
    "type": "flag",
    "about": "Count the lines without a change"
   }
  },
  "data": [
   "matched",
   "erased",
   "groups",
   "alerts",
   "messages",
   "sent",
   "backups",
   "damaged",
   "damaged[].from",
   "damaged[].to"
  ]
 },
 "line.get": {
  "method": "GET",
  "path": "/admin-api/log_server/line/{id}",
  "summary": "One stored line",
  "access": "errlog:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "time",
   "level",
   "log",
   "fields",
   "fields.*",
   "group",
   "src",
   "source",
   "host",
   "service",
   "app_id",
   "req_id",
   "count"
  ]
 },
 "line.context": {
  "method": "GET",
  "path": "/admin-api/log_server/line/{id}/context",
  "summary": "Lines around a line, itself included, in the order of time",
  "access": "errlog:read",
  "query": {
   "before": {
    "type": "number",
    "about": "Number of lines before it; default 10"
   },
   "after": {
    "type": "number",
    "about": "Number of lines after it; default 10"
   },
   "same": {
    "type": "text",
    "about": "Lines of the same source, service or request; default: of the same host and service",
    "values": [
     "source",
     "service",
     "request"
    ]
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].time",
   "data[].level",
   "data[].log",
   "data[].fields",
   "data[].fields.*",
   "data[].group",
   "data[].src",
   "data[].source",
   "data[].host",
   "data[].service",
   "data[].app_id",
   "data[].req_id",
   "data[].count",
   "meta",
   "meta.complete",
   "meta.damaged",
   "meta.damaged[].from",
   "meta.damaged[].to"
  ]
 },
 "ledger.list": {
  "method": "GET",
  "path": "/admin-api/log_server/ledger",
  "summary": "Lines read, sent, received, stored, grouped and lost, by source and minute, newest first",
  "access": "errlog:read",
  "query": {
   "src": {
    "type": "number",
    "about": "Source id"
   },
   "start_time": {
    "type": "time",
    "about": "From, Unix seconds"
   },
   "end_time": {
    "type": "time",
    "about": "Up to, Unix seconds"
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].src",
   "data[].minute",
   "data[].read",
   "data[].sent",
   "data[].received",
   "data[].stored",
   "data[].grouped",
   "data[].lines_without_time",
   "data[].lines_without_level",
   "data[].dropped",
   "data[].dropped.*",
   "meta",
   "meta.complete",
   "meta.gaps",
   "meta.gaps[].src",
   "meta.gaps[].stage",
   "meta.gaps[].start_time",
   "meta.gaps[].end_time",
   "meta.gaps[].lines",
   "meta.more"
  ]
 },
 "webhook.list": {
  "method": "GET",
  "path": "/admin-api/webhook",
  "summary": "Channels, newest first",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].name",
   "data[].kind",
   "data[].url",
   "data[].to",
   "data[].types",
   "data[].filter",
   "data[].enabled",
   "data[].prefix",
   "data[].parts",
   "data[].chat",
   "data[].secrets",
   "data[].withheld",
   "data[].waiting",
   "data[].dead",
   "data[].failing_since",
   "data[].gone_since",
   "data[].rules",
   "data[].created",
   "data[].created_by",
   "data[].modified",
   "meta",
   "meta.count"
  ]
 },
 "webhook.get": {
  "method": "GET",
  "path": "/admin-api/webhook/{id}",
  "summary": "One channel",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": [
   "id",
   "name",
   "kind",
   "url",
   "to",
   "types",
   "filter",
   "enabled",
   "prefix",
   "parts",
   "chat",
   "secrets",
   "withheld",
   "waiting",
   "dead",
   "failing_since",
   "gone_since",
   "rules",
   "created",
   "created_by",
   "modified"
  ]
 },
 "webhook.create": {
  "method": "POST",
  "path": "/admin-api/webhook",
  "summary": "Create a channel; only this answer has its secret",
  "access": "webhook:manage",
  "query": {},
  "body": {
   "name": {
    "type": "text",
    "required": true
   },
   "kind": {
    "type": "text",
    "values": [
     "standard",
     "slack",
     "teams",
     "alertmanager",
     "email",
     "ntfy",
     "telegram",
     "discord",
     "pagerduty",
     "pushover",
     "opsgenie"
    ]
   },
   "url": {
    "type": "text",
    "about": "Address of the receiver, or of the service where that is not its own; not for email"
   },
   "to": {
    "type": "texts",
    "about": "Recipients of email"
   },
   "types": {
    "type": "texts",
    "about": "Events that it gets without a rule",
    "values": [
     "errlog.new",
     "errlog.repeated",
     "errlog.regressed",
     "errlog.changed",
     "agent.registered",
     "agent.online",
     "agent.offline",
     "agent.changed",
     "agent.removed",
     "agent.outage",
     "change.created",
     "alert.firing",
     "alert.updated",
     "alert.acknowledged",
     "alert.assigned",
     "alert.resolved",
     "token.expiring",
     "token.reused",
     "token.revoked",
     "user.revoked",
     "resync"
    ]
   },
   "filter": {
    "type": "text",
    "about": "Narrows the events about errors, in the filter language"
   },
   "enabled": {
    "type": "flag"
   },
   "prefix": {
    "type": "text",
    "about": "Text before the title of each message"
   },
   "parts": {
    "type": "texts",
    "about": "Parts that messages have; empty = all",
    "values": [
     "counts",
     "hosts",
     "cause",
     "lines",
     "facts",
     "links"
    ]
   },
   "token": {
    "type": "text",
    "about": "Secret of ntfy, telegram and pushover; an empty one removes it"
   },
   "chat": {
    "type": "text",
    "about": "Chat of telegram; an empty one removes it"
   },
   "key": {
    "type": "text",
    "about": "Secret of pagerduty and opsgenie; an empty one removes it"
   },
   "user": {
    "type": "text",
    "about": "Secret user key of pushover; an empty one removes it"
   },
   "callback_secret": {
    "type": "text",
    "about": "Secret that signs the requests of pagerduty to the callback; an empty one removes it"
   }
  },
  "data": [
   "id",
   "name",
   "kind",
   "url",
   "to",
   "types",
   "filter",
   "enabled",
   "prefix",
   "parts",
   "chat",
   "secrets",
   "withheld",
   "waiting",
   "dead",
   "failing_since",
   "gone_since",
   "rules",
   "created",
   "created_by",
   "modified",
   "secret"
  ]
 },
 "webhook.update": {
  "method": "PUT",
  "path": "/admin-api/webhook/{id}",
  "summary": "Change a channel; what waits is tried again soon after",
  "access": "webhook:manage",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "url": {
    "type": "text",
    "about": "Address of the receiver, or of the service where that is not its own; not for email"
   },
   "to": {
    "type": "texts",
    "about": "Recipients of email"
   },
   "types": {
    "type": "texts",
    "about": "Events that it gets without a rule",
    "values": [
     "errlog.new",
     "errlog.repeated",
     "errlog.regressed",
     "errlog.changed",
     "agent.registered",
     "agent.online",
     "agent.offline",
     "agent.changed",
     "agent.removed",
     "agent.outage",
     "change.created",
     "alert.firing",
     "alert.updated",
     "alert.acknowledged",
     "alert.assigned",
     "alert.resolved",
     "token.expiring",
     "token.reused",
     "token.revoked",
     "user.revoked",
     "resync"
    ]
   },
   "filter": {
    "type": "text",
    "about": "Narrows the events about errors, in the filter language"
   },
   "enabled": {
    "type": "flag"
   },
   "prefix": {
    "type": "text",
    "about": "Text before the title of each message"
   },
   "parts": {
    "type": "texts",
    "about": "Parts that messages have; empty = all",
    "values": [
     "counts",
     "hosts",
     "cause",
     "lines",
     "facts",
     "links"
    ]
   },
   "token": {
    "type": "text",
    "about": "Secret of ntfy, telegram and pushover; an empty one removes it"
   },
   "chat": {
    "type": "text",
    "about": "Chat of telegram; an empty one removes it"
   },
   "key": {
    "type": "text",
    "about": "Secret of pagerduty and opsgenie; an empty one removes it"
   },
   "user": {
    "type": "text",
    "about": "Secret user key of pushover; an empty one removes it"
   },
   "callback_secret": {
    "type": "text",
    "about": "Secret that signs the requests of pagerduty to the callback; an empty one removes it"
   }
  },
  "data": [
   "id",
   "name",
   "kind",
   "url",
   "to",
   "types",
   "filter",
   "enabled",
   "prefix",
   "parts",
   "chat",
   "secrets",
   "withheld",
   "waiting",
   "dead",
   "failing_since",
   "gone_since",
   "rules",
   "created",
   "created_by",
   "modified"
  ]
 },
 "webhook.remove": {
  "method": "DELETE",
  "path": "/admin-api/webhook/{id}",
  "summary": "Delete a channel with its deliveries",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": []
 },
 "webhook.rotate": {
  "method": "POST",
  "path": "/admin-api/webhook/{id}/rotate",
  "summary": "Replace the secret of a channel, optionally with a time in which both sign",
  "access": "webhook:manage",
  "query": {},
  "body": {
   "grace": {
    "type": "duration",
    "about": "Seconds for which messages are signed with the old secret as well; default 0"
   }
  },
  "data": [
   "id",
   "name",
   "kind",
   "url",
   "to",
   "types",
   "filter",
   "enabled",
   "prefix",
   "parts",
   "chat",
   "secrets",
   "withheld",
   "waiting",
   "dead",
   "failing_since",
   "gone_since",
   "rules",
   "created",
   "created_by",
   "modified",
   "secret"
  ]
 },
 "webhook.test": {
  "method": "POST",
  "path": "/admin-api/webhook/{id}/test",
  "summary": "Queue a test message to a channel, and try what waits now",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": [
   "id",
   "message_id",
   "type",
   "state",
   "attempts",
   "created",
   "next_attempt",
   "last_attempt",
   "status",
   "error",
   "answer",
   "body",
   "body.*",
   "needs"
  ]
 },
 "webhook.deliveries": {
  "method": "GET",
  "path": "/admin-api/webhook/{id}/delivery",
  "summary": "Deliveries of a channel, newest first",
  "access": "webhook:manage",
  "query": {
   "state": {
    "type": "text",
    "values": [
     "waiting",
     "delivered",
     "dead"
    ]
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].message_id",
   "data[].type",
   "data[].state",
   "data[].attempts",
   "data[].created",
   "data[].next_attempt",
   "data[].last_attempt",
   "data[].status",
   "data[].error",
   "data[].answer",
   "data[].body",
   "data[].body.*",
   "data[].needs",
   "meta",
   "meta.count"
  ]
 },
 "webhook.delivery": {
  "method": "GET",
  "path": "/admin-api/webhook/delivery/{id}",
  "summary": "A delivery with the outcome of its last attempt",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": [
   "id",
   "message_id",
   "type",
   "state",
   "attempts",
   "created",
   "next_attempt",
   "last_attempt",
   "status",
   "error",
   "answer",
   "body",
   "body.*",
   "needs"
  ]
 },
 "webhook.redeliver": {
  "method": "POST",
  "path": "/admin-api/webhook/delivery/{id}/redeliver",
  "summary": "Send a delivered or dead message again, with the same message id",
  "access": "webhook:manage",
  "query": {},
  "body": {},
  "data": [
   "id",
   "message_id",
   "type",
   "state",
   "attempts",
   "created",
   "next_attempt",
   "last_attempt",
   "status",
   "error",
   "answer",
   "body",
   "body.*",
   "needs"
  ]
 },
 "alert.instances": {
  "method": "GET",
  "path": "/admin-api/alert/instance",
  "summary": "Alerts that rules have found and that the caller may read, newest first",
  "access": "alert:read",
  "query": {
   "state": {
    "type": "text",
    "values": [
     "pending",
     "firing",
     "resolved"
    ]
   },
   "rule_id": {
    "type": "number"
   },
   "kind": {
    "type": "text",
    "values": [
     "errlog.new",
     "errlog.regressed",
     "errlog.count",
     "errlog.spike",
     "silence",
     "agent.offline",
     "agent.back",
     "agent.outage",
     "operation.failed",
     "certificate.expiring",
     "token.expiring",
     "token.reused",
     "signin.failed",
     "audit.broken",
     "server.health"
    ]
   }
  },
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].rule_id",
   "data[].rule",
   "data[].kind",
   "data[].key",
   "data[].groups",
   "data[].state",
   "data[].title",
   "data[].detail",
   "data[].detail.*",
   "data[].cause",
   "data[].cause.sentence",
   "data[].cause.strength",
   "data[].cause.change",
   "data[].cause.change.kind",
   "data[].cause.change.field",
   "data[].cause.change.name",
   "data[].cause.change.from",
   "data[].cause.change.to",
   "data[].cause.change.change_id",
   "data[].cause.change.time",
   "data[].cause.change.before",
   "data[].cause.link",
   "data[].cause.why",
   "data[].cause.settled",
   "data[].cause.next_look",
   "data[].parent_id",
   "data[].under",
   "data[].messages",
   "data[].acknowledged",
   "data[].acknowledged.time",
   "data[].acknowledged.by",
   "data[].acknowledged.note",
   "data[].assigned",
   "data[].assigned.id",
   "data[].assigned.username",
   "data[].muted_until",
   "data[].since",
   "data[].fired",
   "data[].resolved",
   "meta",
   "meta.count"
  ]
 },
 "alert.instance": {
  "method": "GET",
  "path": "/admin-api/alert/instance/{id}",
  "summary": "One alert: the error, its hosts, the suspected change, and the newest lines",
  "access": "alert:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "rule_id",
   "rule",
   "kind",
   "key",
   "groups",
   "state",
   "title",
   "detail",
   "detail.*",
   "cause",
   "cause.sentence",
   "cause.strength",
   "cause.change",
   "cause.change.kind",
   "cause.change.field",
   "cause.change.name",
   "cause.change.from",
   "cause.change.to",
   "cause.change.change_id",
   "cause.change.time",
   "cause.change.before",
   "cause.link",
   "cause.why",
   "cause.settled",
   "cause.next_look",
   "parent_id",
   "under",
   "messages",
   "acknowledged",
   "acknowledged.time",
   "acknowledged.by",
   "acknowledged.note",
   "assigned",
   "assigned.id",
   "assigned.username",
   "muted_until",
   "since",
   "fired",
   "resolved",
   "what",
   "what.level",
   "what.service",
   "what.source",
   "what.text",
   "counts",
   "counts.count",
   "counts.from",
   "counts.per_minute",
   "counts.usual",
   "hosts",
   "hosts.failing",
   "hosts.of",
   "hosts.names",
   "lines",
   "lines[].id",
   "lines[].time",
   "lines[].level",
   "lines[].log",
   "lines[].fields",
   "lines[].fields.*",
   "lines[].group",
   "lines[].src",
   "lines[].source",
   "lines[].host",
   "lines[].service",
   "lines[].app_id",
   "lines[].req_id",
   "lines[].count",
   "incomplete",
   "also",
   "links",
   "links.alert",
   "links.error",
   "links.change",
   "links.runbook",
   "links.issue",
   "until",
   "meta",
   "meta.complete"
  ]
 },
 "alert.acknowledge": {
  "method": "POST",
  "path": "/admin-api/alert/instance/{id}/acknowledge",
  "summary": "Say that somebody has seen an alert: it is not repeated until it ends",
  "access": "alert:write",
  "query": {},
  "body": {
   "note": {
    "type": "text"
   }
  },
  "data": [
   "id",
   "rule_id",
   "rule",
   "kind",
   "key",
   "groups",
   "state",
   "title",
   "detail",
   "detail.*",
   "cause",
   "cause.sentence",
   "cause.strength",
   "cause.change",
   "cause.change.kind",
   "cause.change.field",
   "cause.change.name",
   "cause.change.from",
   "cause.change.to",
   "cause.change.change_id",
   "cause.change.time",
   "cause.change.before",
   "cause.link",
   "cause.why",
   "cause.settled",
   "cause.next_look",
   "parent_id",
   "under",
   "messages",
   "acknowledged",
   "acknowledged.time",
   "acknowledged.by",
   "acknowledged.note",
   "assigned",
   "assigned.id",
   "assigned.username",
   "muted_until",
   "since",
   "fired",
   "resolved"
  ]
 },
 "alert.assign": {
  "method": "POST",
  "path": "/admin-api/alert/instance/{id}/assign",
  "summary": "Say who works on an alert",
  "access": "alert:write",
  "query": {},
  "body": {
   "user": {
    "type": "number",
    "about": "Another user than the caller takes the permission user:read",
    "required": true
   }
  },
  "data": [
   "id",
   "rule_id",
   "rule",
   "kind",
   "key",
   "groups",
   "state",
   "title",
   "detail",
   "detail.*",
   "cause",
   "cause.sentence",
   "cause.strength",
   "cause.change",
   "cause.change.kind",
   "cause.change.field",
   "cause.change.name",
   "cause.change.from",
   "cause.change.to",
   "cause.change.change_id",
   "cause.change.time",
   "cause.change.before",
   "cause.link",
   "cause.why",
   "cause.settled",
   "cause.next_look",
   "parent_id",
   "under",
   "messages",
   "acknowledged",
   "acknowledged.time",
   "acknowledged.by",
   "acknowledged.note",
   "assigned",
   "assigned.id",
   "assigned.username",
   "muted_until",
   "since",
   "fired",
   "resolved"
  ]
 },
 "alert.mute": {
  "method": "POST",
  "path": "/admin-api/alert/instance/{id}/mute",
  "summary": "Mute the groups of an alert, or an alert without groups; or end that",
  "access": "alert:write",
  "query": {},
  "body": {
   "until": {
    "type": "text",
    "about": "Unix seconds; for an alert about errors also a duration or a number of times, such as 1h or 100x, as of a group; 0 ends the mute",
    "required": true
   }
  },
  "data": [
   "id",
   "rule_id",
   "rule",
   "kind",
   "key",
   "groups",
   "state",
   "title",
   "detail",
   "detail.*",
   "cause",
   "cause.sentence",
   "cause.strength",
   "cause.change",
   "cause.change.kind",
   "cause.change.field",
   "cause.change.name",
   "cause.change.from",
   "cause.change.to",
   "cause.change.change_id",
   "cause.change.time",
   "cause.change.before",
   "cause.link",
   "cause.why",
   "cause.settled",
   "cause.next_look",
   "parent_id",
   "under",
   "messages",
   "acknowledged",
   "acknowledged.time",
   "acknowledged.by",
   "acknowledged.note",
   "assigned",
   "assigned.id",
   "assigned.username",
   "muted_until",
   "since",
   "fired",
   "resolved"
  ]
 },
 "alert.channels": {
  "method": "GET",
  "path": "/admin-api/alert/channel",
  "summary": "Channels that rules can name, by name",
  "access": "alert:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].name",
   "data[].kind",
   "data[].enabled",
   "meta",
   "meta.count"
  ]
 },
 "alert.preview": {
  "method": "POST",
  "path": "/admin-api/alert/preview",
  "summary": "Count the times a rule would have fired in the last 24 hours",
  "access": "alert:write",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "enabled": {
    "type": "flag"
   },
   "when": {
    "type": "json",
    "required": true
   },
   "filter": {
    "type": "text",
    "about": "Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds"
   },
   "for": {
    "type": "duration",
    "about": "Seconds for which a cause must last before it is told"
   },
   "cooldown": {
    "type": "duration",
    "about": "Seconds in which the same cause is not told again"
   },
   "repeat": {
    "type": "duration",
    "about": "Seconds after which an open alert is told again until it is acknowledged; 0 = never"
   },
   "channels": {
    "type": "numbers",
    "about": "Ids of webhooks"
   },
   "runbook": {
    "type": "text",
    "about": "Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   },
   "issue": {
    "type": "text",
    "about": "Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   }
  },
  "data": [
   "from",
   "to",
   "fired",
   "causes",
   "examples",
   "examples[].time",
   "examples[].key",
   "examples[].title",
   "complete",
   "why_incomplete"
  ]
 },
 "alert.list": {
  "method": "GET",
  "path": "/admin-api/alert",
  "summary": "Rules of alerts, newest first",
  "access": "alert:read",
  "query": {},
  "body": {},
  "data": [
   "data",
   "data[].id",
   "data[].name",
   "data[].enabled",
   "data[].when",
   "data[].when.kind",
   "data[].when.count",
   "data[].when.within",
   "data[].when.per",
   "data[].filter",
   "data[].for",
   "data[].cooldown",
   "data[].repeat",
   "data[].channels",
   "data[].runbook",
   "data[].issue",
   "data[].firing",
   "data[].last_fired",
   "data[].stopped",
   "data[].stopped.since",
   "data[].stopped.why",
   "data[].created",
   "data[].created_by",
   "data[].modified",
   "meta",
   "meta.count"
  ]
 },
 "alert.create": {
  "method": "POST",
  "path": "/admin-api/alert",
  "summary": "Create a rule; it tells what happens from now on",
  "access": "alert:write",
  "query": {},
  "body": {
   "name": {
    "type": "text",
    "required": true
   },
   "enabled": {
    "type": "flag"
   },
   "when": {
    "type": "json",
    "required": true
   },
   "filter": {
    "type": "text",
    "about": "Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds"
   },
   "for": {
    "type": "duration",
    "about": "Seconds for which a cause must last before it is told"
   },
   "cooldown": {
    "type": "duration",
    "about": "Seconds in which the same cause is not told again"
   },
   "repeat": {
    "type": "duration",
    "about": "Seconds after which an open alert is told again until it is acknowledged; 0 = never"
   },
   "channels": {
    "type": "numbers",
    "about": "Ids of webhooks"
   },
   "runbook": {
    "type": "text",
    "about": "Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   },
   "issue": {
    "type": "text",
    "about": "Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   }
  },
  "data": [
   "id",
   "name",
   "enabled",
   "when",
   "when.kind",
   "when.count",
   "when.within",
   "when.per",
   "filter",
   "for",
   "cooldown",
   "repeat",
   "channels",
   "runbook",
   "issue",
   "firing",
   "last_fired",
   "stopped",
   "stopped.since",
   "stopped.why",
   "created",
   "created_by",
   "modified"
  ]
 },
 "alert.get": {
  "method": "GET",
  "path": "/admin-api/alert/{id}",
  "summary": "One rule",
  "access": "alert:read",
  "query": {},
  "body": {},
  "data": [
   "id",
   "name",
   "enabled",
   "when",
   "when.kind",
   "when.count",
   "when.within",
   "when.per",
   "filter",
   "for",
   "cooldown",
   "repeat",
   "channels",
   "runbook",
   "issue",
   "firing",
   "last_fired",
   "stopped",
   "stopped.since",
   "stopped.why",
   "created",
   "created_by",
   "modified"
  ]
 },
 "alert.update": {
  "method": "PUT",
  "path": "/admin-api/alert/{id}",
  "summary": "Change a rule",
  "access": "alert:write",
  "query": {},
  "body": {
   "name": {
    "type": "text"
   },
   "enabled": {
    "type": "flag"
   },
   "when": {
    "type": "json"
   },
   "filter": {
    "type": "text",
    "about": "Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds"
   },
   "for": {
    "type": "duration",
    "about": "Seconds for which a cause must last before it is told"
   },
   "cooldown": {
    "type": "duration",
    "about": "Seconds in which the same cause is not told again"
   },
   "repeat": {
    "type": "duration",
    "about": "Seconds after which an open alert is told again until it is acknowledged; 0 = never"
   },
   "channels": {
    "type": "numbers",
    "about": "Ids of webhooks"
   },
   "runbook": {
    "type": "text",
    "about": "Address of what to do, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   },
   "issue": {
    "type": "text",
    "about": "Address that opens a prefilled issue elsewhere, in messages; {title}, {service}, {host}, {level}, {key}, {id}, {url} in it are replaced"
   }
  },
  "data": [
   "id",
   "name",
   "enabled",
   "when",
   "when.kind",
   "when.count",
   "when.within",
   "when.per",
   "filter",
   "for",
   "cooldown",
   "repeat",
   "channels",
   "runbook",
   "issue",
   "firing",
   "last_fired",
   "stopped",
   "stopped.since",
   "stopped.why",
   "created",
   "created_by",
   "modified"
  ]
 },
 "alert.remove": {
  "method": "DELETE",
  "path": "/admin-api/alert/{id}",
  "summary": "Delete a rule with its alerts; no messages are sent of their ends",
  "access": "alert:write",
  "query": {},
  "body": {},
  "data": []
 },
 "alert.explain": {
  "method": "POST",
  "path": "/admin-api/alert/{id}/explain",
  "summary": "Explain why a rule did or did not fire at a moment",
  "access": "alert:read",
  "query": {},
  "body": {
   "at": {
    "type": "time",
    "about": "Default now; not in the future"
   }
  },
  "data": [
   "at",
   "fired",
   "verdict",
   "conditions",
   "conditions[].name",
   "conditions[].value",
   "conditions[].limit",
   "conditions[].met",
   "conditions[].text",
   "alerts",
   "alerts[].id",
   "alerts[].rule_id",
   "alerts[].rule",
   "alerts[].kind",
   "alerts[].key",
   "alerts[].groups",
   "alerts[].state",
   "alerts[].title",
   "alerts[].detail",
   "alerts[].detail.*",
   "alerts[].cause",
   "alerts[].cause.sentence",
   "alerts[].cause.strength",
   "alerts[].cause.change",
   "alerts[].cause.change.kind",
   "alerts[].cause.change.field",
   "alerts[].cause.change.name",
   "alerts[].cause.change.from",
   "alerts[].cause.change.to",
   "alerts[].cause.change.change_id",
   "alerts[].cause.change.time",
   "alerts[].cause.change.before",
   "alerts[].cause.link",
   "alerts[].cause.why",
   "alerts[].cause.settled",
   "alerts[].cause.next_look",
   "alerts[].parent_id",
   "alerts[].under",
   "alerts[].messages",
   "alerts[].acknowledged",
   "alerts[].acknowledged.time",
   "alerts[].acknowledged.by",
   "alerts[].acknowledged.note",
   "alerts[].assigned",
   "alerts[].assigned.id",
   "alerts[].assigned.username",
   "alerts[].muted_until",
   "alerts[].since",
   "alerts[].fired",
   "alerts[].resolved",
   "complete",
   "why_incomplete"
  ]
 },
 "alert.test": {
  "method": "POST",
  "path": "/admin-api/alert/{id}/test",
  "summary": "Send a test message to the channels of a rule",
  "access": "alert:write",
  "query": {},
  "body": {},
  "data": [
   "channels",
   "deliveries",
   "deliveries[].id",
   "deliveries[].channel"
  ]
 }
} as const satisfies Record<string, EndpointInfo>;
