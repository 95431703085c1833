#include <stddef.h>

#include "harness/report/schema_fields.h"

static const struct field latency_fields[] = {
	{"count", NUMBER, NULL, true},
	{"timed_out", NUMBER, NULL, false},
	{"min", NUMBER, NULL, false},
	{"mean", NUMBER, NULL, false},
	{"stddev", NUMBER, NULL, false},
	{"p2_5", NUMBER, NULL, false},
	{"p50", NUMBER, NULL, false},
	{"p75", NUMBER, NULL, false},
	{"p90", NUMBER, NULL, false},
	{"p95", NUMBER, NULL, false},
	{"p97_5", NUMBER, NULL, false},
	{"p99", NUMBER, NULL, false},
	{"p99_9", NUMBER, NULL, false},
	{"max", NUMBER, NULL, false},
	{0},
};

static const struct field connections_fields[] = {
	{"requested", NUMBER, NULL, false},
	{"established", NUMBER, NULL, false},
	{"served", NUMBER, NULL, false},
	{"reconnects", NUMBER, NULL, false},
	{0},
};

static const struct field requests_fields[] = {
	{"sent", NUMBER, NULL, true},
	{"completed", NUMBER, NULL, false},
	{"ok", NUMBER, NULL, true},
	{"failed", NUMBER, NULL, true},
	{"inflight_at_end", NUMBER, NULL, false},
	{"oldest_inflight_s", NUMBER, NULL, false},
	{0},
};

static const struct field throughput_fields[] = {
	{"rx", NUMBER, NULL, false},
	{"tx", NUMBER, NULL, false},
	{0},
};

static const struct field rate_fields[] = {
	{"target", NUMBER, NULL, true},
	{"achieved", NUMBER, NULL, false},
	{"arrival", TEXT, NULL, false},
	{"planned", NUMBER, NULL, false},
	{"seed", NUMBER, NULL, false},
	{0},
};

static const struct field backlog_fields[] = {
	{"max", NUMBER, NULL, true},
	{"at_end", NUMBER, NULL, true},
	{"oldest_s", NUMBER, NULL, false},
	{"dropped", NUMBER, NULL, true},
	{0},
};

static const struct field send_lag_fields[] = {
	{"count", NUMBER, NULL, false},
	{"p50", NUMBER, NULL, true},
	{"p99", NUMBER, NULL, false},
	{"max", NUMBER, NULL, true},
	{0},
};

static const struct field client_fields[] = {
	{"cpu_user_s", NUMBER, NULL, false},
	{"cpu_system_s", NUMBER, NULL, false},
	{"requests_per_cpu_s", NUMBER, NULL, false},
	{"cpu_busiest", NUMBER, NULL, false},
	{"cpu_pacing_s", NUMBER, NULL, false},
	{"clock_source", TEXT, NULL, false},
	{"clock_cost_ns", NUMBER, NULL, false},
	{0},
};

static const struct field per_second_fields[] = {
	{"t_s", NUMBER, NULL, true},
	{"cpu_percent", NUMBER, NULL, false},
	{"rss_bytes", NUMBER, NULL, true},
	{0},
};

static const struct field server_fields[] = {
	{"cpu_user_s", NUMBER, NULL, false},
	{"cpu_system_s", NUMBER, NULL, false},
	{"requests_per_cpu_s", NUMBER, NULL, false},
	{"cpu_us_per_request", NUMBER, NULL, false},
	{"max_rss_bytes", NUMBER, NULL, false},
	{"ctx_switches", COUNTS, NULL, false},
	{"processes", NUMBER, NULL, false},
	{"threads", NUMBER, NULL, false},
	{"per_second", LIST, per_second_fields, false},
	{0},
};

static const struct field check_fields[] = {
	{"ok", BOOL, NULL, false},
	{0},
};

static const struct field checks_fields[] = {
	{"littles_law", OBJECT, check_fields, false},
	{"counts", OBJECT, check_fields, false},
	{"arrivals", OBJECT, check_fields, false},
	{"server_counts", OBJECT, check_fields, false},
	{"bytes", OBJECT, check_fields, false},
	{"percentiles", OBJECT, check_fields, false},
	{0},
};

static const struct field disturbance_fields[] = {
	{"disturbed", BOOL, NULL, true},
	{"foreign_cpus", NUMBER, NULL, false},
	{"steal_share", NUMBER, NULL, false},
	{"asleep_s", NUMBER, NULL, false},
	{"clock_step_s", NUMBER, NULL, false},
	{"stall_s", NUMBER, NULL, false},
	{"reason", TEXT, NULL, false},
	{0},
};

static const struct field ports_fields[] = {
	{"needed", NUMBER, NULL, true},
	{"free", NUMBER, NULL, true},
	{"time_wait", NUMBER, NULL, true},
	{"waited_s", NUMBER, NULL, true},
	{0},
};

static const struct field repeated_fields[] = {
	{"started_s", NUMBER, NULL, false},
	{"rps", NUMBER, NULL, false},
	{"disturbance", OBJECT, disturbance_fields, false},
	{0},
};

static const struct field series_fields[] = {
	{"t_s", NUMBER, NULL, true},
	{"ok", NUMBER, NULL, true},
	{"failed", NUMBER, NULL, true},
	{"timed_out", NUMBER, NULL, false},
	{"rx_bytes", NUMBER, NULL, false},
	{"p50_ns", NUMBER, NULL, false},
	{"p99_ns", NUMBER, NULL, false},
	{0},
};

static const struct field warmup_fields[] = {
	{"s", NUMBER, NULL, true},
	{"windows", NUMBER, NULL, true},
	{"steady", BOOL, NULL, false},
	{0},
};

static const struct field condition_fields[] = {
	{"condition", TEXT, NULL, true},
	{"held", BOOL, NULL, true},
	{"figure", TEXT, NULL, true},
	{"path", TEXT, NULL, true},
	{"unit", TEXT, NULL, true},
	{"value", NUMBER, NULL, false},
	{"value_at_least", NUMBER, NULL, false},
	{"limit", NUMBER, NULL, true},
	{0},
};

static const struct field histogram_fields[] = {
	{"unit", TEXT, NULL, true},
	{"encoding", TEXT, NULL, true},
	{"min", NUMBER, NULL, false},
	{"max", NUMBER, NULL, false},
	{"sum", NUMBER, NULL, false},
	{"buckets", PAIRS, NULL, true},
	{0},
};

const struct field schema_trial_fields[] = {
	{"order", NUMBER, NULL, false},
	{"started_s", NUMBER, NULL, false},
	{"failure", TEXT, NULL, false},
	{"target", TEXT, NULL, false},
	{"protocol", TEXT, NULL, false},
	{"mode", TEXT, NULL, false},
	{"connections", OBJECT, connections_fields, false},
	{"pipeline", NUMBER, NULL, false},
	{"threads", NUMBER, NULL, false},
	{"keep_alive", BOOL, NULL, false},
	{"verify", TEXT, NULL, false},
	{"body_learned", BOOL, NULL, false},
	{"requests_planned", NUMBER, NULL, false},
	{"duration_s", NUMBER, NULL, false},
	{"warmup_s", NUMBER, NULL, false},
	{"warmup", OBJECT, warmup_fields, false},
	{"stopped", BOOL, NULL, false},
	{"requests", OBJECT, requests_fields, false},
	{"rps", NUMBER, NULL, false},
	{"throughput_bytes_per_s", OBJECT, throughput_fields, false},
	{"bytes_per_reply", NUMBER, NULL, false},
	{"latency_ns", OBJECT, latency_fields, false},
	{"failed_latency_ns", OBJECT, latency_fields, false},
	{"service_time_ns", OBJECT, latency_fields, false},
	{"send_lag_ns", OBJECT, send_lag_fields, false},
	{"rate", OBJECT, rate_fields, false},
	{"backlog", OBJECT, backlog_fields, false},
	{"saturated", BOOL, NULL, false},
	{"errors", COUNTS, NULL, false},
	{"status_codes", COUNTS, NULL, false},
	{"client", OBJECT, client_fields, false},
	{"server", OBJECT, server_fields, false},
	{"client_limited", BOOL, NULL, false},
	{"checks", OBJECT, checks_fields, false},
	{"disturbance", OBJECT, disturbance_fields, false},
	{"ports", OBJECT, ports_fields, false},
	{"conditions", LIST, condition_fields, false},
	{"series", LIST, series_fields, false},
	{"histogram", OBJECT, histogram_fields, false},
	{"failed_histogram", OBJECT, histogram_fields, false},
	{"timed_out_histogram", OBJECT, histogram_fields, false},
	{0},
};

static const struct field values_fields[] = {
	{"median", NUMBER, NULL, true},
	{"ci95_low", NUMBER, NULL, false},
	{"ci95_high", NUMBER, NULL, false},
	{"best", NUMBER, NULL, false},
	{"min", NUMBER, NULL, false},
	{"max", NUMBER, NULL, false},
	{"mean", NUMBER, NULL, false},
	{"stddev", NUMBER, NULL, false},
	{"n", NUMBER, NULL, true},
	{0},
};

static const struct field ratio_values_fields[] = {
	{"ratio", NUMBER, NULL, true},
	{"ci95_low", NUMBER, NULL, false},
	{"ci95_high", NUMBER, NULL, false},
	{0},
};

static const struct field tie_fields[] = {
	{"with", TEXT, NULL, true},
	{"p", NUMBER, NULL, true},
	{"cliffs_delta", NUMBER, NULL, true},
	{"below_noise_floor", BOOL, NULL, false},
	{0},
};

const struct field schema_summary_fields[] = {
	{"trials", NUMBER, NULL, false},
	{"rps", OBJECT, values_fields, false},
	{"rps_per_server_cpu_s", OBJECT, values_fields, false},
	{"server_cpu_us_per_request", OBJECT, values_fields, false},
	{"duration_s", OBJECT, values_fields, false},
	{"latency_ns", OBJECT, latency_fields, false},
	{"failed_latency_ns", OBJECT, latency_fields, false},
	{"bytes_per_reply", NUMBER, NULL, false},
	{"requests", OBJECT, requests_fields, false},
	{"errors", COUNTS, NULL, false},
	{"connections", OBJECT, connections_fields, false},
	{"max_rss_bytes", NUMBER, NULL, false},
	{"server_cpu_share", NUMBER, NULL, false},
	{"server_cpu_percent", NUMBER, NULL, false},
	{"client_limited", BOOL, NULL, false},
	{"limit", TEXT, NULL, false},
	{"checks_failed", COUNTS, NULL, false},
	{"ceiling_share", NUMBER, NULL, false},
	{"failure", TEXT, NULL, false},
	{"ranked_by", TEXT, NULL, false}, /* those of again have none */
	{"rank", NUMBER, NULL, false},
	{"tie", OBJECT, tie_fields, false},
	{"relative", OBJECT, ratio_values_fields, false},
	{0},
};

static const struct field contestant_fields[] = {
	{"name", TEXT, NULL, true},
	{"protocol", TEXT, NULL, false},
	{"class", TEXT, NULL, false},
	{"description", TEXT, NULL, false},
	{"url", TEXT, NULL, false},
	{"server_cpus", NUMBER, NULL, false},
	{"server_threads", NUMBER, NULL, false},
	{"fixed_threads", BOOL, NULL, false},
	{"connections", NUMBER, NULL, false},
	{"pipeline", NUMBER, NULL, false},
	{"requests_planned", NUMBER, NULL, false},
	{"rate", NUMBER, NULL, false},
	{"arrival", TEXT, NULL, false},
	{"skipped", TEXT, NULL, false},
	{"failure", TEXT, NULL, false},
	{"repeated", LIST, repeated_fields, false},
	{"trials", LIST, schema_trial_fields, true},
	{"conditions", LIST, condition_fields, false},
	{"summary", OBJECT, schema_summary_fields, false},
	{0},
};

static const struct field ratio_load_fields[] = {
	{"connections", NUMBER, NULL, true},
	{"pipeline", NUMBER, NULL, true},
	{"requests_planned", NUMBER, NULL, false},
	{"rate", NUMBER, NULL, false},
	{"arrival", TEXT, NULL, false},
	{"server_threads", NUMBER, NULL, false},
	{"rps", OBJECT, ratio_values_fields, false},
	{"rps_per_server_cpu_s", OBJECT, ratio_values_fields, false},
	{0},
};

static const struct field ratio_fields[] = {
	{"of", TEXT, NULL, true},
	{"to", TEXT, NULL, true},
	{"loads", LIST, ratio_load_fields, false},
	{0},
};

static const struct field floor_values_fields[] = {
	{"ratio", NUMBER, NULL, true},
	{"ci95_low", NUMBER, NULL, false},
	{"ci95_high", NUMBER, NULL, false},
	{"p", NUMBER, NULL, true},
	{"floor", NUMBER, NULL, true},
	{0},
};

static const struct field floor_fields[] = {
	{"connections", NUMBER, NULL, true},
	{"pipeline", NUMBER, NULL, true},
	{"requests_planned", NUMBER, NULL, false},
	{"rate", NUMBER, NULL, false},
	{"arrival", TEXT, NULL, false},
	{"server_threads", NUMBER, NULL, false},
	{"contestant", TEXT, NULL, true},
	{"rps", OBJECT, floor_values_fields, false},
	{"rps_per_server_cpu_s", OBJECT, floor_values_fields, false},
	{"latency_p50", OBJECT, floor_values_fields, false},
	{"latency_p99", OBJECT, floor_values_fields, false},
	{0},
};

static const struct field scaling_fields[] = {
	{"name", TEXT, NULL, true},
	{"connections", NUMBER, NULL, true},
	{"pipeline", NUMBER, NULL, true},
	{"requests_planned", NUMBER, NULL, false},
	{"rate", NUMBER, NULL, false},
	{"arrival", TEXT, NULL, false},
	{"server_threads", NUMBER, NULL, false},
	{"fixed_threads", BOOL, NULL, false},
	{"rps", NUMBER, NULL, false},
	{"rps_per_server_cpu_s", NUMBER, NULL, false},
	{"speedup", OBJECT, ratio_values_fields, false},
	{0},
};

static const struct field calibration_fields[] = {
	{"server_threads", NUMBER, NULL, false},
	{"connections", NUMBER, NULL, true},
	{"pipeline", NUMBER, NULL, true},
	{"threads", NUMBER, NULL, true},
	{"runs", NUMBER, NULL, false},
	{"rps", NUMBER, NULL, false},
	{"requests_per_client_cpu_s", NUMBER, NULL, false},
	{0},
};

static const struct field trend_figures_fields[] = {
	{"tau", SIGNED, NULL, true},
	{"p", NUMBER, NULL, true},
	{"change", SIGNED, NULL, true},
	{"n", NUMBER, NULL, true},
	{0},
};

static const struct field trend_load_fields[] = {
	{"drift", OBJECT, trend_figures_fields, false},
	{"position", OBJECT, trend_figures_fields, false},
	{0},
};

static const struct field trend_fields[] = {
	{"drift", OBJECT, trend_figures_fields, false},
	{"position", OBJECT, trend_figures_fields, false},
	{"loads", LIST, trend_load_fields, false},
	{0},
};

const struct field schema_record_fields[] = {
	{"schema", TEXT, NULL, true},
	{"rpcbench", TEXT, NULL, false},
	{"round", TEXT, NULL, true},
	{"title", TEXT, NULL, false},
	{"started_at", TEXT, NULL, false},
	{"seed", NUMBER, NULL, false},
	{"quick", BOOL, NULL, false},
	{"interrupted", BOOL, NULL, false},
	{"command", TEXT, NULL, false},
	{"parameters", OBJECT, NULL, false},
	{"environment", OBJECT, NULL, false},
	{"columns", TEXTS, NULL, false},
	{"ratios", LIST, ratio_fields, false},
	{"calibration", LIST, calibration_fields, false},
	{"contestants", LIST, contestant_fields, true},
	{"again", LIST, contestant_fields, false},
	{"noise_floor", LIST, floor_fields, false},
	{"scaling", LIST, scaling_fields, false},
	{"trend", OBJECT, trend_fields, false},
	{0},
};
