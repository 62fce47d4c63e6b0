/** A relay that answers every request at once with the same row: what is left is the worker's own cost. */
import { createServer } from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  PingResponseSchema,
  ReleaseResponseSchema,
  RunResponseSchema,
  StatusResponseSchema,
} from '../proto/gen/relay/v1/relay_pb.ts';

const ROW = JSON.stringify({
  columns: [
    { name: 'id', type: 'bigint' },
    { name: 'name', type: 'text' },
  ],
  rows: [{ id: 42, name: 'product 42' }],
  row_count: 1,
});
const RUN = toBinary(
  RunResponseSchema,
  create(RunResponseSchema, { result: Buffer.from(ROW), backendUs: 100n }),
);
const OTHERS: Readonly<Record<string, Uint8Array>> = {
  '/relay.v1.RelayService/Ping': toBinary(
    PingResponseSchema,
    create(PingResponseSchema, { latencyUs: 100n }),
  ),
  '/relay.v1.RelayService/Release': toBinary(ReleaseResponseSchema, create(ReleaseResponseSchema)),
  '/relay.v1.RelayService/Status': toBinary(StatusResponseSchema, create(StatusResponseSchema)),
};

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const body = OTHERS[request.url ?? ''] ?? RUN;
    response.writeHead(200, {
      'Content-Type': 'application/proto',
      'Content-Length': body.byteLength,
    });
    response.end(body);
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening ${address?.port}`);
});
