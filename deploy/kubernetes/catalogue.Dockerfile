# The service's image with a compiled catalogue of your own, because a compiled catalogue is too large for a ConfigMap:
#   npx whocrawls compile --catalogue own.yaml -o own.catalogue
#   docker build --file deploy/kubernetes/catalogue.Dockerfile --tag registry.example.com/whocrawls:0.1.0-own .
FROM registry.example.com/whocrawls:0.1.0
COPY own.catalogue /etc/whocrawls/own.catalogue
ENV WHOCRAWLS_CATALOGUE=/etc/whocrawls/own.catalogue
