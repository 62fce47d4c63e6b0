/** How a script reports a failure: one sentence and exit code 1, never a stack. */

/** A failure that its message explains; the message is one sentence for the person who typed the command. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** What the system lacks, whatever a script was doing; Node names no file for some of these. */
const LACKING: Readonly<Record<string, string>> = {
  ENOSPC: 'There is no space left on the disk; make room on it, or choose a folder elsewhere.',
  EDQUOT: 'The quota of the disk is used up; make room on it, or choose a folder elsewhere.',
  EROFS: 'The disk is read-only; make it writable, or choose a folder elsewhere.',
  EMFILE: 'Too many files are open; raise the limit with ulimit -n.',
  ENFILE: 'Too many files are open on this machine; end other programs, or raise its limit.',
};

/** Runs a script's main function. What a person can mend becomes one sentence on stderr and exit code 1. */
export async function runScript(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (thrown) {
    console.error(sentenceFor(thrown) ?? thrown);
    process.exitCode = 1;
  }
}

/** The sentence that tells a person what to mend; undefined for what only a developer can. */
export function sentenceFor(thrown: unknown): string | undefined {
  if (thrown instanceof Failure) return thrown.message;
  return LACKING[systemCode(thrown) ?? ''] ?? missingPackage(thrown);
}

/** `npm ci --omit=dev` leaves out what tests, proofs and measurements import. */
function missingPackage(thrown: unknown): string | undefined {
  if (systemCode(thrown) !== 'ERR_MODULE_NOT_FOUND' || !(thrown instanceof Error)) return undefined;
  const [, name] = /^Cannot find package '([^']+)'/.exec(thrown.message) ?? [];
  return name && `The package ${name} is not installed: run npm ci, without --omit=dev.`;
}

/** The `code` of a system error such as `EADDRINUSE`; undefined for anything else. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
