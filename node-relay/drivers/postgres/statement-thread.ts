/** The thread that reads large statements: a text comes in, what it says about itself goes out. */
import { parentPort } from 'node:worker_threads';
import { parseWhole } from '../../../kinds/postgres/dialect/statement.ts';
import './parser.ts';

parentPort?.on('message', (text: unknown) => {
  parentPort?.postMessage(parseWhole(String(text)));
});
