# Statistics, the result record and what is rendered from it.
LIBRARIES += stats report
stats.SRCS := harness/stats/stats.c harness/stats/rank_test.c harness/stats/trend.c
stats.LDLIBS := -lm
report.SRCS := $(addprefix harness/report/,result.c trial.c checks.c latency.c merged.c values.c \
	summary.c rank.c floor.c scaling.c ratios.c trend.c change.c schema.c schema_fields.c dump.c replace.c \
	build.c pick.c text.c table.c notes.c \
	environment.c console.c markdown.c overview.c trial_text.c curve.c curve_page.c \
	gnuplot.c svg.c plot.c chart.c chart_bars.c chart_lines.c publish.c \
	page.c page_view.c page_data.c page_files.c \
	grid.c csv.c view.c view_parts.c view_autocannon.c view_wrk.c document.c)
report.SRCS += harness/condition.c harness/report/hdr.c
report.PKGS := jansson
# What the page is made of becomes a part of the program.
CHART_JS := /usr/share/javascript/chart.js/chart.min.js
report.FLAGS := -DPAGE_CHART_JS='"$(CHART_JS)"'
$(call objects,harness/report/page_files.c): $(wildcard harness/report/page/*) $(CHART_JS)

rpcbench.SRCS += harness/cmd/report.c harness/cmd/cmd.c harness/cmd/compare.c
# harness uses report, report uses load
rpcbench.LIBS := $(patsubst load,report load stats,$(rpcbench.LIBS))
