/** Lets @hey-api/openapi-ts make a client from the document in this folder. */
export default {
  input: 'openapi.json',
  output: { path: 'hey-api', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
