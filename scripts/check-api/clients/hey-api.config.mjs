/** Configures @hey-api/openapi-ts, which generates a client from the OpenAPI document in this folder. */
export default {
  input: 'openapi.json',
  output: { path: 'hey-api', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
