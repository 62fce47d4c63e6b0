/** Loaded ahead of a relay's process: answers which of its files a call has run, to who connects to a socket. */
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type FunctionsRun, filesRun } from './files-run.ts';

const folder = process.env.WALK_FOLDER;
const isRelay = /\/node-relay\/|\/causeway\/parts\//.test(process.argv[1] ?? '');
if (folder !== undefined && isRelay) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const server = createServer((socket) => {
    // What is taken is counted from zero again.
    session.post('Profiler.takePreciseCoverage', (_error, coverage) => {
      const scripts: readonly FunctionsRun[] = coverage?.result ?? [];
      socket.end(JSON.stringify(scripts.flatMap((script) => filesRun(script))));
    });
  });
  server.listen(join(folder, `${process.pid}.sock`)).unref();
}
