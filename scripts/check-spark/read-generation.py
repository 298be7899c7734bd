"""Reads every version of every table of the generation in force with Spark, and prints how many rows each has.

Arguments: data folder. The exit code is 0 only when all rows are those of the manifests.
"""

import json
import sys
import time
from pathlib import Path

from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

generations = Path(sys.argv[1]).resolve() / "generations"
current = generations / (generations.parent / "CURRENT").read_text().strip()
start = time.time()

# One task for each log, which is short; Spark would take fifty.
builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.sql.shuffle.partitions", "2")
)
spark = configure_spark_with_delta_pip(builder).getOrCreate()


def rows_of(manifest: Path, table: str) -> int:
    return next(one["rows"] for one in json.loads(manifest.read_text())["tables"] if one["name"] == table)


differences = 0
for log in sorted(current.glob("*/_delta_log")):
    table, found, said = log.parent.name, [], []
    for version, commit in enumerate(sorted(log.glob("*.json"))):
        generation = json.loads(commit.read_text().splitlines()[0])["commitInfo"]["generation"]
        said.append(rows_of(generations / generation / "manifest.json", table))
        rows = spark.read.format("delta").option("versionAsOf", version).load(str(log.parent))
        # The hash needs every value, so that none is left unread.
        found.append(rows.selectExpr("count(*) as rows", "bit_xor(xxhash64(*)) as hash").first()["rows"])
    differences += found != said
    print(f"{table}: {found}" + ("" if found == said else f", not {said}"), flush=True)
print(f"{differences} tables differ, {time.time() - start:.0f} s")
sys.exit(1 if differences else 0)
