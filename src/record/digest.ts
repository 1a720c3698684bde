/** The digest that identifies a recorded string. Apart from stored-text.ts, which also runs where Node's modules are missing. */
import { hash } from "node:crypto";

/**
 * Sixteen bytes that identify a stored form. Databases index these instead of the string: 2 KiB do not fit in a
 * PostgreSQL index, and a hash without cryptography would let an attacker make two strings share one row.
 */
export function toDigest(stored: string): Buffer {
  return Buffer.from(hash("sha256", stored, "hex").slice(0, 32), "hex");
}
