/** What a script tells the person who ran it: one sentence and exit code 1, never a stack. */

/** A failure that its message explains; the message is one sentence for whoever typed the command. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Runs a script's main function. A `Failure` becomes its sentence on stderr and exit code 1. */
export async function runScript(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (thrown) {
    console.error(thrown instanceof Failure ? thrown.message : thrown);
    process.exitCode = 1;
  }
}

/** The `code` of a system error such as `EADDRINUSE`; undefined for anything else. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
