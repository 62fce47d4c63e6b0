/** The baseline's back end: a Node server that does the same driver call and nothing else. */
import { createServer } from 'node:http';
import { isMeasured, KINDS, type MeasuredRequest } from './kinds.ts';

const [url = '', kind = 'postgres'] = process.argv.slice(2);
if (!isMeasured(kind)) throw new Error(`${kind} is not measured`);
const ask = await KINDS[kind].bare(url);

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    // What the measurement sends.
    const body = JSON.parse(Buffer.concat(pieces).toString()) as MeasuredRequest;
    ask(body).then(
      (rows) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(rows));
      },
      (thrown: unknown) => {
        response.statusCode = 500;
        response.end(String(thrown));
      },
    );
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening ${address?.port}`);
});
