/**
 * Runs libpg-query's WebAssembly without the package's loader, which looks for files and for
 * Node. The letters are those of the package's build; a test holds them to its loader's.
 */

/** What the build calls its imports. Source: `wasmImports` of libpg-query's loader. */
export const IMPORTS = {
  assertFail: 'c',
  abort: 'x',
  keepaliveClear: 'w',
  longjmp: 'p',
  setTimer: 'o',
  grow: 'q',
  exit: 'm',
  procExit: 'v',
  close: 'u',
  read: 'r',
  seek: 's',
  write: 't',
  /** Call a function of the table, and notice when it jumps out. */
  invoke: { i: 'g', ii: 'b', iii: 'a', iiii: 'd', iiiii: 'k', ji: 'l', v: 'e', vi: 'f', vii: 'h' },
  invokeMore: { viii: 'j', viiii: 'i', viiiii: 'y', viiiiiiiiiiiii: 'n' },
} as const;

/** What the build calls its exports. Source: `assignWasmExports` of the loader. */
export const EXPORTS = {
  memory: 'z',
  table: 'D',
  start: 'A',
  malloc: 'C',
  free: 'E',
  parse: 'F',
  freeResult: 'G',
  setThrew: 'P',
  restoreStack: 'Q',
  currentStack: 'R',
} as const;

const PAGE_BYTES = 65_536;
/** Memory of one isolate is 128 MiB in all. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;
/** Bad file number: there are no files. Source: WASI, errno. */
const NO_FILE = 8;

/** A longjmp of the C code on its way out. */
class LongJump extends Error {}

/** The part of the runtime that is used: the types of Node, in which tests run too, leave it out. */
interface Runtime {
  readonly Instance: new (
    module: CompiledModule,
    imports: { readonly [module: string]: Imports },
  ) => { readonly exports: { readonly [name: string]: unknown } };
}
const { Instance: WasmInstance } = (globalThis as unknown as { WebAssembly: Runtime }).WebAssembly;

type Imports = Record<string, (...values: number[]) => number | bigint>;

/** A compiled module, as the runtime gives it. */
export type CompiledModule = object;

/** What instances have for bytes. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Numbers and functions of the module. */
export interface Instance {
  readonly memory: Memory;
  malloc(bytes: number): number;
  free(at: number): void;
  /** Answers where three pointers are: the tree's text, what was printed, the error. */
  parse(at: number): number;
  freeResult(at: number): void;
}

type Exported = (...values: readonly number[]) => number;

/** A fresh instance. Compiled modules are instantiated at once, in some milliseconds. */
export function instantiate(module: CompiledModule): Instance {
  let made: { readonly [name: string]: unknown } = {};
  const call = (name: keyof typeof EXPORTS): Exported => made[EXPORTS[name]] as Exported; // As the build exports it.
  const memory = () => made[EXPORTS.memory] as Memory; // See above.
  const invoke = (at: number, ...values: number[]) => {
    const stack = call('currentStack')();
    try {
      const table = made[EXPORTS.table] as { get(at: number): unknown }; // See above.
      return (table.get(at) as Exported)(...values);
    } catch (error) {
      call('restoreStack')(stack);
      if (!(error instanceof LongJump)) throw error;
      call('setThrew')(1, 0);
      return 0;
    }
  };
  const imports = importsOf(invoke, memory);
  made = new WasmInstance(module, { a: imports }).exports;
  call('start')();
  return {
    memory: memory(),
    malloc: call('malloc'),
    free: call('free'),
    parse: call('parse'),
    freeResult: call('freeResult'),
  };
}

function importsOf(
  invoke: (at: number, ...values: number[]) => number,
  memory: () => Memory,
): Imports {
  const fail = () => {
    throw new Error('the parser gave up');
  };
  const noFile = () => NO_FILE;
  const nothing = () => 0;
  const imports: Imports = {
    [IMPORTS.assertFail]: fail,
    [IMPORTS.abort]: fail,
    [IMPORTS.exit]: fail,
    [IMPORTS.procExit]: fail,
    [IMPORTS.keepaliveClear]: nothing,
    [IMPORTS.setTimer]: nothing,
    [IMPORTS.close]: noFile,
    [IMPORTS.read]: noFile,
    [IMPORTS.seek]: noFile,
    [IMPORTS.write]: noFile,
    [IMPORTS.longjmp]: () => {
      throw new LongJump();
    },
    [IMPORTS.grow]: (bytes = 0) => (grow(memory(), bytes) ? 1 : 0),
  };
  for (const name of Object.values({ ...IMPORTS.invoke, ...IMPORTS.invokeMore })) {
    imports[name] = (at = 0, ...values) => invoke(at, ...values);
  }
  // The one that answers 64 bits.
  imports[IMPORTS.invoke.ji] = (at = 0, ...values) => BigInt(invoke(at, ...values));
  return imports;
}

/** The C library asks for a size in bytes; a fifth more saves asking again. */
function grow(memory: Memory, bytes: number): boolean {
  const wanted = bytes >>> 0;
  if (wanted > MEMORY_MAX_BYTES) return false;
  const have = memory.buffer.byteLength;
  const target = Math.min(MEMORY_MAX_BYTES, Math.max(wanted, have * 1.2));
  try {
    memory.grow(Math.ceil((target - have) / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}
