"""Counts the requests of crawlers in web servers' logs with Spark 4, by day, category, operator and name.

  whocrawls export sql --dialect spark > crawlers.sql
  whocrawls export sql --dialect spark --statements --table requests --column useragent > statements.sql
  python crawlers.py --define crawlers.sql --statements statements.sql 'logs/*.log.gz' figures

The logs are text in the combined format, or Parquet files with the columns day, bytes and useragent. The figures are written as Parquet.
Leave out --define in later runs: only strings that are new are then evaluated. For this, Spark needs a catalog that keeps tables.
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# Java's engine would use its stack for each character of a group that repeats.
QUOTED = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
# Address, two names, time, request, status, bytes, referrer, user agent.
COMBINED = rf"^\S+ \S+ \S+ \[(\d+/\w+/\d+):[^\]]*\] {QUOTED} \d+ (\d+|-) {QUOTED} {QUOTED}"

FIGURES = """
SELECT day, category, operator, name, SUM(requests) AS requests, SUM(bytes) AS bytes FROM (
  SELECT day, COALESCE(useragent, '') AS ua, COUNT(*) AS requests, SUM(bytes) AS bytes
  FROM requests GROUP BY day, COALESCE(useragent, '')
) AS counted
JOIN checked_strings ON checked_strings.useragent = counted.ua
JOIN crawlers ON crawlers.precedence = checked_strings.precedence
GROUP BY day, category, operator, name
"""


def read_requests(spark: SparkSession, logs: str) -> DataFrame:
    """The requests with day, bytes and useragent; lines in another format are left out."""
    if logs.endswith(".parquet"):
        return spark.read.parquet(logs).select("day", "bytes", "useragent")
    group = lambda index: F.regexp_extract("value", COMBINED, index)
    return (
        spark.read.text(logs)
        .where(F.col("value").rlike(COMBINED))
        .select(
            F.to_date(group(1), "dd/MMM/yyyy").alias("day"),
            F.coalesce(group(3).try_cast("bigint"), F.lit(0)).alias("bytes"),
            group(5).alias("useragent"),
        )
    )


def run_file(spark: SparkSession, path: str) -> DataFrame:
    """Runs the statements of a file that whocrawls wrote; returns the result of the last one."""
    with open(path, encoding="utf-8") as lines:
        text = "".join(line for line in lines if not line.startswith("--"))
    for statement in filter(str.strip, text.split(";\n")):
        result = spark.sql(statement)
    return result


def count_crawlers(spark: SparkSession, statements: str, logs: str) -> DataFrame:
    """Evaluates new strings; returns the figures."""
    read_requests(spark, logs).createOrReplaceTempView("requests")
    run_file(spark, statements)
    return spark.sql(FIGURES)


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts the requests of crawlers in web servers' logs.")
    parser.add_argument("--define", help="the output of: whocrawls export sql --dialect spark")
    parser.add_argument("--statements", required=True, help="the output of the same with --statements")
    parser.add_argument("logs")
    parser.add_argument("figures")
    given = parser.parse_args()
    spark = SparkSession.builder.appName("whocrawls").enableHiveSupport().getOrCreate()
    if given.define:
        run_file(spark, given.define)
    count_crawlers(spark, given.statements, given.logs).write.mode("overwrite").parquet(given.figures)
    spark.stop()


if __name__ == "__main__":
    main()
