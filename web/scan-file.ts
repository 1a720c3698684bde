/** Placeholder until the scanner has landed. */
export async function scanFile(_file: File, _result: Element): Promise<void> {}
