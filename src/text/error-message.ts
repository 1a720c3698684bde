/** The message of what was thrown: JavaScript can throw anything. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
