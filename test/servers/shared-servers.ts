/**
 * Servers that all processes of one test run share: a process asks the run, which starts a server
 * when it is first asked for one, and ends all of them.
 */
import { createServer } from 'node:http';
import { Failure } from '../../server/failure.ts';

/** Names the run's address to every process of it. */
const VARIABLE = 'CAUSEWAY_TEST_RUN';

/** What describes a server as JSON, and how it ends. */
interface SharedServer {
  stop(): Promise<unknown>;
}

/** A run that hands out servers. */
interface TestRun {
  /** Ends all servers. */
  stop(): Promise<void>;
}

/**
 * Opens the run of this process and of those it starts.
 * @param starters by the name that `sharedServer` asks with
 */
export async function openTestRun(
  starters: Readonly<Record<string, () => Promise<SharedServer>>>,
): Promise<TestRun> {
  const started = new Map<string, Promise<SharedServer>>();
  const server = async (name: string) => {
    const known = started.get(name);
    if (known !== undefined) return known;
    const start = starters[name];
    if (start === undefined) throw new Failure(`This run has no server named ${name}.`);
    const made = start();
    started.set(name, made);
    return made;
  };
  const door = createServer((request, reply) => {
    server(request.url?.slice(1) ?? '').then(
      (made) => reply.end(JSON.stringify(made)),
      (thrown: unknown) => reply.writeHead(503).end(messageOf(thrown)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The run got no port');
  process.env[VARIABLE] = `http://127.0.0.1:${address.port}`;
  return {
    async stop() {
      delete process.env[VARIABLE];
      door.close();
      door.closeAllConnections();
      const made = await Promise.allSettled(started.values());
      const running = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}

/** Whether this process belongs to a test run. */
export function inTestRun(): boolean {
  return process.env[VARIABLE] !== undefined;
}

/**
 * What the run knows about its server of that name.
 * @throws Failure with the server's own sentence when it cannot be started, or outside a run
 */
export async function sharedServer(name: string): Promise<unknown> {
  const run = process.env[VARIABLE];
  if (run === undefined) throw new Failure('Servers are shared only within a test run: npm test.');
  const reply = await fetch(`${run}/${name}`);
  if (!reply.ok) throw new Failure(await reply.text());
  return reply.json();
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
