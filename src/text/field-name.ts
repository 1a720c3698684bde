/** Lines of a request's head, such as `User-Agent: curl/8.5.0`, which people paste where a user agent is asked for. */

const fieldName = /^[ \t]*User-Agent:[ \t]*/i;

/** The value of the header, or else the line as it is. */
export function withoutFieldName(line: string): string {
  return line.replace(fieldName, "");
}
