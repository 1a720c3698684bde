/** The files in src/ that are started as threads or processes: the package and the executable contain each as a separate file. */
export const programs = ["record/sqlite-worker", "scan/run/scan-worker", "cli/main"];
