/** Loaded into a child process before its program: ends it when the parent that holds its standard input is gone. */

/** For a program that cannot stop in order. */
const STOP_MAX_MS = 3_000;

function end(): void {
  setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}

process.stdin.on('end', end).on('error', end).resume();
// What the program waits for decides how long it lives, not this.
if ('unref' in process.stdin) process.stdin.unref();
