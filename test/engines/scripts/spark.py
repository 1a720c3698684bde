"""Runs deploy/spark/crawlers.py on two executors: of text and of Parquet. Prints JSON of verdicts, figures and evaluations.

Arguments: the folder of crawlers.py; a folder with crawlers.sql, statements.sql, counted.sql (the statements with the function
counted in place of the condition) and the logs access.log and more.log. The current folder is where Spark stores its tables.
"""

import json
import os
import sys

# Its folder stays as it is.
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
os.chdir(sys.argv[2])
# The driver and both executors are on this machine.
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

import crawlers
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local-cluster[2,1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
calls = spark.sparkContext.accumulator(0)


def counted(text):
    calls.add(1)
    return False


def rows(frame):
    return [[None if cell is None else str(cell) for cell in row] for row in frame.collect()]


def evaluations(statements, logs):
    before = calls.value
    crawlers.count_crawlers(spark, statements, logs)
    return calls.value - before


spark.udf.register("counted", counted, "boolean")
crawlers.run_file(spark, "crawlers.sql")
figures = rows(crawlers.count_crawlers(spark, "statements.sql", "access.log"))
verdicts = rows(spark.table("checked_strings"))

spark.sql("TRUNCATE TABLE checked_strings")
crawlers.read_requests(spark, "access.log").write.parquet("access.parquet")
counts = [evaluations("counted.sql", logs) for logs in ("access.parquet", "*.log")]
print(json.dumps({"verdicts": verdicts, "figures": figures, "evaluations": counts}))
spark.stop()
