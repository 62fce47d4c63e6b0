/** The thread that reads large statements: a text comes in, what it says of itself goes out. */
import { parentPort } from 'node:worker_threads';
import { parseText } from '../../../kinds/postgres/dialect/statement.ts';
import './parser.ts';

parentPort?.on('message', (text: unknown) => {
  parentPort?.postMessage(parseText(String(text)));
});
