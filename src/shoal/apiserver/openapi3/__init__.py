"""OpenAPI documents, made from the schema table and from the schemas of other kinds."""
