/** Loaded into a child process before its program: ends it when the parent that holds its standard input is gone. */
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// What the program waits for decides how long it lives, not this.
if ('unref' in process.stdin) process.stdin.unref();
