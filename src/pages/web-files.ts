/** The built files of web/ as routes. Their names change with their content, so browsers cache them without a limit. */
import type { Route } from "../http/context.ts";
import { answerCoded } from "../http/representation.ts";
import { notFound } from "../http/router.ts";
import type { AssetAddresses } from "./layout.ts";

/** The files of dist/web/, as read by the host. */
export interface WebFiles {
  /** Addresses by the names that pages use: `try.js` is at `/assets/try-0a1b2c.js`. */
  readonly addresses: AssetAddresses;
  /** The content of a file by the last part of its address; undefined if there is none. */
  readonly read: (name: string) => WebFile | undefined;
}

export interface WebFile {
  readonly contentType: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** One year in seconds, the longest useful lifetime for caches (RFC 9111). */
const forever = "public, max-age=31536000, immutable";

/** Makes the route below `/assets/`; none without files. */
export function createFileRoutes(files: WebFiles | undefined): readonly Route[] {
  if (files === undefined) return [];
  return [
    {
      path: "/assets/*",
      method: "GET",
      isPublic: true,
      skipsRateLimit: true,
      async handler(context) {
        const file = files.read(context.rest);
        if (file === undefined) throw notFound(context);
        const { contentType, plain, gzip } = file;
        const answer = await answerCoded(
          context,
          { contentType },
          () => plain,
          () => gzip,
        );
        return { ...answer, headers: { ...answer.headers, "cache-control": forever } };
      },
    },
  ];
}
