/** The baseline's back end: a Node server that does the same driver call and nothing else. */
import { createServer } from 'node:http';
import pg from 'pg';

const CONNECTIONS = 10;
const [url] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { query, params } = JSON.parse(Buffer.concat(pieces).toString()) as {
      query: string;
      params: unknown[];
    };
    pool.query(query, params).then(
      ({ rows }) => {
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
