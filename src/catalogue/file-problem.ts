/** Tells errors of the file system, such as no room and no permission, from errors of the program. */
export function isFileProblem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
