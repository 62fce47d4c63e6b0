/** Compiled modules, as the rules of wrangler and server/bundle.ts make them. */
declare module '*.wasm' {
  const module: object;
  // biome-ignore lint/style/noDefaultExport: it has no other name.
  export default module;
}
