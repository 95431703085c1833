#ifndef HARNESS_REPORT_PAGE_FILES_H
#define HARNESS_REPORT_PAGE_FILES_H

/** DOC: The files of page/, and Chart.js from Debian's libjs-chart.js, as they were at build time.
 */

extern const char page_html[];     /* with {{NAME}} where page.c prints something */
extern const char page_css[];      /* {{style}} */
extern const char page_js[];       /* {{script}} */
extern const char page_chart_js[]; /* {{chart.js}} */

#endif
