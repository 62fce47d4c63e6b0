/** What a running gateway writes to stderr: one JSON object a line. */

/** Writes one line of ours. No secret may be in `fields`. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: object = {}): void {
  write({ level, time: new Date().toISOString(), source: 'start', message, ...fields });
}

/** Passes on what the worker wrote: a JSON object as it is, any other text as a line of its own. */
export function logOfWorker(level: string, text: string, timestamp: number): void {
  if (isJsonObject(text)) process.stderr.write(`${text}\n`);
  else write({ level, time: new Date(timestamp).toISOString(), source: 'worker', message: text });
}

function write(entry: object): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith('{') || text.includes('\n')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
