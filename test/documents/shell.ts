/** Runs a page's examples as a reader does: one after another, in one shell. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** What one example wrote. */
export interface Written {
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_MS = 240_000;

/**
 * What each script wrote, in their order; undefined for one that never ended, because of itself
 * or one before it. No setting of this machine's user reaches the shell.
 */
export async function runInTurn(scripts: readonly string[]): Promise<(Written | undefined)[]> {
  const mark = `--- ${randomUUID()}`;
  const end = `\nprintf '%s' '${mark}'; printf '%s' '${mark}' >&2\n`;
  const whole = scripts.map((script) => script + end).join('');
  const written = await new Promise<Written>((resolve) => {
    const { PATH = '' } = process.env;
    const options = { env: { PATH, CURL_HOME: '/' }, timeout: MAX_MS };
    // A shell that failed has not come to its last mark.
    execFile('sh', ['-c', whole], options, (_failure, stdout, stderr) => {
      resolve({ stdout, stderr });
    });
  });
  const [stdout, stderr] = [written.stdout.split(mark), written.stderr.split(mark)];
  return scripts.map((_, index) => {
    const [out, err] = [stdout[index], stderr[index]];
    const ended = index < stdout.length - 1;
    return ended && out !== undefined && err !== undefined
      ? { stdout: out, stderr: err }
      : undefined;
  });
}

/** Puts what is there instead of what pages write for it, the longest first. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  const names = Object.keys(values).toSorted((a, b) => b.length - a.length);
  return names.reduce((filled, name) => filled.replaceAll(name, values[name] ?? name), text);
}
