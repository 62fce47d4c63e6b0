/** Counts a worker's trips to D1, and can hold them back. */

/** A binding that stands for `database` and counts what goes through it. */
export function countTrips(database: D1Database) {
  let trips = 0;
  let rounds = 0;
  let underWay = 0;
  let gate: Promise<void> = Promise.resolve();
  let open = (): void => {};

  const counted = <Result>(trip: () => Promise<Result>): Promise<Result> => {
    trips += 1;
    if (underWay === 0) rounds += 1;
    underWay += 1;
    return gate.then(trip).finally(() => {
      underWay -= 1;
    });
  };
  const binding = new Proxy(database, {
    get(target, member) {
      if (member === 'batch') {
        return (statements: Statement[]) =>
          counted(() => target.batch(statements.map((each) => each[ORIGINAL] ?? each)));
      }
      if (member === 'prepare') return (sql: string) => statement(target.prepare(sql), counted);
      return Reflect.get(target, member);
    },
  });
  return {
    binding,
    count: () => trips,
    /** Times that trips began while none was under way: what is waited for one after another. */
    rounds: () => rounds,
    /** Lets no trip through until `letGo`. */
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    letGo: () => open(),
  };
}

const ORIGINAL = Symbol('the statement behind a counted one');
type Statement = D1PreparedStatement & { [ORIGINAL]?: D1PreparedStatement };
type Counted = <Result>(trip: () => Promise<Result>) => Promise<Result>;

function statement(original: D1PreparedStatement, counted: Counted): Statement {
  return new Proxy(original as Statement, {
    get(target, member) {
      if (member === ORIGINAL) return original;
      if (member === 'bind') {
        return (...values: unknown[]) => statement(target.bind(...values), counted);
      }
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => counted(() => value.apply(target, given));
    },
  });
}
