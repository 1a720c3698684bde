"""For warehouses.ts: CPU seconds of deploy/spark/crawlers.py, run twice on one core, and of a short expression, as JSON.

Arguments: the folder of crawlers.py; a folder with crawlers.sql, statements.sql and access.log.
"""

import json
import os
import sys

# Its folder stays as it is.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.abspath(sys.argv[1]))
os.chdir(sys.argv[2])

import crawlers
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()


def cpu():
    with open(f"/proc/{jvm}/stat") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(job):
    before = cpu()
    job()
    return cpu() - before


def short():
    requests = crawlers.read_requests(spark, "access.log")
    requests.where(requests.useragent.rlike("(?i)bot|crawl|spider")).groupBy("day", "useragent").count().collect()


def whole():
    crawlers.count_crawlers(spark, "statements.sql", "access.log").collect()


result = {"version": spark.version}
crawlers.run_file(spark, "crawlers.sql")
# The first job of a process pays for the start of the engine.
measured(short)
for name, job in {"short expression": short, "first": whole, "second": whole}.items():
    result[name] = measured(job)
print(json.dumps(result))
spark.stop()
