/** The files of src/ that are started as threads and processes: the package and the executable have each as a file of its own. */
export const programs = ["record/sqlite-worker", "scan/run/scan-worker", "cli/main"];
