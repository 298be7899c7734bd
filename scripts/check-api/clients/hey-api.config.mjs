/** What @hey-api/openapi-ts makes of the document beside it. */
export default {
  input: 'openapi.json',
  output: { path: 'hey-api', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
