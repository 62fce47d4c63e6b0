/** What a run says at its end. */
import { curlOf, headerOf } from './exchange.ts';
import { STAND_INS } from './stand-ins.ts';
import type { Counted, Tally } from './tally.ts';

/** Of what the gateway logged of a request, so much is told. */
const LOG_LINES = 5;

/** What there is to tell. */
interface Outcome {
  readonly tally: Tally;
  /** Names of all operations of the document. */
  readonly operations: readonly string[];
  /** Address of the proxy. */
  readonly proxy: string;
  /** What the generator wrote of passes in which it found something. */
  readonly generator: readonly string[];
  /** What the gateway logged, and those lines of it that hold a secret. */
  readonly log: string;
  readonly logged: readonly string[];
  /** How many organizations were made because requests destroyed the one before. */
  readonly organizations: number;
  readonly seconds: number;
  /** The command that sends the same again. */
  readonly repeat: string;
  /** The folder of what was kept. */
  readonly results: string;
}

/** Prints it; answers the exit code: 1 when something was found. */
export function report(outcome: Outcome): 0 | 1 {
  const { tally, generator, logged } = outcome;
  const silent = outcome.operations.length === 0 || tally.requests === 0;
  console.log(tally.lines(outcome.operations).join('\n'));
  for (const counted of tally.findings) console.log(`\n✗ ${tellOf(counted, outcome)}`);
  for (const output of generator) console.log(`\n✗ ${findingsIn(output, outcome.proxy)}`);
  for (const line of logged.slice(0, LOG_LINES)) console.log(`\n✗ The log holds a secret: ${line}`);
  const failed = tally.findings.length + generator.length + logged.length > 0 || silent;
  console.log(
    `\n${tally.requests} requests to ${outcome.operations.length} operations in ${outcome.seconds.toFixed(0)} s, ${outcome.organizations} organizations, slowest reply ${tally.slowest.toFixed(0)} ms: ${failed ? 'something is wrong' : 'nothing is wrong'}.`,
  );
  console.log(`Again: ${outcome.repeat}   (everything sent and answered: ${outcome.results})`);
  return failed ? 1 : 0;
}

function tellOf({ finding, count }: Counted, { log }: Outcome): string {
  const { operation, what, exchange } = finding;
  const { answered, sent } = exchange;
  const id = headerOf(answered?.headers ?? [], 'x-request-id');
  const named = `"request_id":${JSON.stringify(id ?? '')},`;
  const logged = log.split('\n').filter((line) => line.includes(named));
  return [
    `${operation}: ${what} (${count} times)`,
    `  ${curlOf(sent)}`,
    ...(answered ? [`  ${answered.status} ${answered.body.toString().slice(0, 1000)}`] : []),
    ...logged.slice(-LOG_LINES).map((line) => `  log: ${line}`),
  ].join('\n');
}

/** The part of the generator's output about failures, with the README's names in its lines for a shell. */
function findingsIn(output: string, proxy: string): string {
  const from = output.search(/^=+ (?:FAILURES|ERRORS) =+$/m);
  return output
    .slice(Math.max(from, 0))
    .replaceAll(`${proxy}/api/v1`, '$API')
    .replaceAll(`'Authorization: Bearer ${STAND_INS.token}'`, '"Authorization: Bearer $TOKEN"');
}
