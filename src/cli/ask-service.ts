/** Asks the service in memory, so that a command returns exactly what the operation of the same name returns. */
import type { Detector } from "../detect/verdict.ts";
import { createService } from "../service.ts";
import { UserError } from "../text/errors.ts";

/** Answers a GET of `path` with `query`; undefined values are left out. Throws a UserError for invalid values. */
export async function askService(
  detector: Detector,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Response> {
  const url = new URL(path, "http://localhost");
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const response = await createService({ detector }).fetch(new Request(url));
  if (response.ok) return response;
  const { detail } = (await response.json()) as { detail: string };
  throw new UserError(detail);
}
