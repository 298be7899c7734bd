declare module 'tzdata/tzdata.js' {
  const database: { readonly zones: Readonly<Record<string, unknown>> };
  export = database;
}
