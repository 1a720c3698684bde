/** A compiled catalogue as processes send it to each other. */
import { encodeCatalogue } from "../../detect/file/catalogue-file.ts";
import { loadDetector } from "../../detect/file/load-detector.ts";
import type { Detector } from "../../detect/verdict.ts";

export interface SentCatalogue {
  readonly version: string;
  readonly entries: number;
  /** When its data were changed, in milliseconds since 1970, if that is known. */
  readonly changedAt?: number;
  /** The compiled catalogue in base64. */
  readonly bytes: string;
}

/** An opened catalogue; null is the one of this package. */
export interface Opened {
  readonly catalogue: SentCatalogue | null;
  readonly warnings: readonly string[];
}

/** What to decide with from now on: another catalogue, null for the one of this package, or the same where it is absent. */
export interface CatalogueChange {
  readonly catalogue?: SentCatalogue | null;
  /** Warnings for /readyz. */
  readonly warnings: readonly string[];
}

/** Writes the catalogue of a detector for another process. */
export function toSentCatalogue({ version, entries, catalogue }: Detector): SentCatalogue {
  return { version, entries, bytes: toBuffer(encodeCatalogue(catalogue)).toString("base64") };
}

/** A view, not a copy. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Makes a detector of a sent catalogue. Its tables are decoded, because no client should wait for that; requests are answered
 * between the steps.
 */
export async function receiveCatalogue({ bytes }: SentCatalogue): Promise<Detector> {
  const file = Buffer.from(bytes, "base64");
  await nextTurn();
  const detector = loadDetector(file);
  for (const decode of [
    () => detector.isCrawler("Mozilla/5.0"),
    () => detector.catalogue.items,
    () => detector.check("Googlebot"),
    () => detector.catalogue.verification,
    () => detector.strings(),
  ]) {
    await nextTurn();
    decode();
  }
  await nextTurn();
  return detector;
}
