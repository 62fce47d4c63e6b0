/** Changes of data as a relay reports them to who calls it through a tunnel. */
import { CHANGE_OPERATIONS, type Changes, type ChangesRequest } from '../../../proto/changes.ts';
import { callOf } from '../../drivers/test/host.ts';
import type { Line } from './line.ts';

/** What drivers that tell changes do, by the names of their methods. */
export function changesOver(line: Line): Changes {
  const asked = ({ collections }: ChangesRequest) => ({
    target: line.target(),
    collections: collections.map(({ name, operations }) => ({
      name,
      operations: [...operations],
    })),
  });
  return {
    prepareChanges: (request, call) =>
      line.call(call, async (options) => {
        const { position, mark } = await line.client.prepareChanges(asked(request), options);
        return { position, mark };
      }),
    async *changes(request, position = '', call) {
      const message = { ...asked(request), position };
      for await (const batch of line.stream(call, (o) => line.client.changes(message, o))) {
        const changes = batch.changes.map((change) => ({
          ...change,
          operation: operationOf(change.operation),
          ...(change.before.length > 0 ? {} : { before: undefined }),
          ...(change.after.length > 0 ? {} : { after: undefined }),
        }));
        yield { changes, faults: batch.faults, position: batch.position };
      }
    },
    acknowledgeChanges: (_slot, position) =>
      line.call(callOf('write'), async (options) => {
        const message = { target: line.target(), position };
        return (await line.client.acknowledgeChanges(message, options)).told;
      }),
    dropChanges: (_slot, call) =>
      line.call(call, async (options) => {
        return (await line.client.dropChanges({ target: line.target() }, options)).found;
      }),
    changesLag: (_slot, call) =>
      line.call(call, async (options) => {
        const { bytes, whole: isWhole } = await line.client.changesLag(
          { target: line.target() },
          options,
        );
        return { bytes: Number(bytes), whole: isWhole };
      }),
  };
}

function operationOf(text: string) {
  const operation = CHANGE_OPERATIONS.find((each) => each === text);
  if (operation === undefined) throw new Error(`${text} is no operation`);
  return operation;
}
